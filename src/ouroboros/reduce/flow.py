"""How data flows through a block: what it reads before it has written that itself, and what it certainly writes."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from ouroboros.reduce.footprints import Footprints
from ouroboros.reduce.places import conjuncts, required_value
from ouroboros.reduce.relations import members
from ouroboros.system.blocks import Assert, Assign, Block, If, Leave, Print, Require, Scope, SetElement, SetLocal, While
from ouroboros.system.expressions import Call, Constant, Evaluate, Expression, Procedure, is_constant
from ouroboros.system.layout import Field

EVERYTHING = -1
"""As a set of slots: what is true of code behind a failure."""


class Flow(NamedTuple):
    """Sets of slots."""

    exposed: int
    """May be read before it is written."""
    certain: int
    """Is written on every way to the end."""
    written: int


class Flows:
    def __init__(self, footprints: Footprints) -> None:
        self._footprints = footprints
        self._slots = footprints.slots

    def of(self, block: Block) -> Flow:
        exposed, written, certain = self._through(block, 0)
        return Flow(exposed, certain if certain >= 0 else written, written)

    def _through(self, block: Block, done: int) -> tuple[int, int, int]:
        """What is exposed and what is written in a block, and what has certainly been written behind it."""
        exposed = written = 0

        def evaluated(*expressions: Expression) -> None:
            nonlocal exposed, written
            for expression in expressions:
                found = self._footprints.of_expression(expression)
                exposed |= found.reads & ~done
                written |= found.writes

        for statement in block:
            match statement:
                case Assign(field, at, value):
                    evaluated(*([] if at is None else [at]), value)
                    only = self._only_slot(field, at)
                    written |= self._footprints.of_block((statement,)).writes if only is None else 1 << only
                    done |= 0 if only is None else 1 << only
                case SetLocal(_, value):
                    evaluated(value)
                case SetElement(_, at, value):
                    evaluated(at, value)
                case If(condition, then, otherwise):
                    evaluated(condition)
                    ways = (self._through(then, done), self._through(otherwise, done))
                    exposed |= ways[0][0] | ways[1][0]
                    written |= ways[0][1] | ways[1][1]
                    done = ways[0][2] & ways[1][2]
                case While(condition, body):
                    evaluated(condition)
                    inside = self._through(body, done)
                    exposed |= inside[0]
                    written |= inside[1]
                case Scope(_, body):
                    # It may be left before its end.
                    inside = self._through(body, done)
                    exposed |= inside[0]
                    written |= inside[1]
                case Require(condition):
                    evaluated(condition)
                    if is_constant(condition, 0):
                        done = EVERYTHING
                case Assert(condition):
                    evaluated(condition)
                case Leave() | Print():
                    pass
        return exposed, written, done

    def _only_slot(self, field: Field, at: Expression | None) -> int | None:
        match at:
            case None:
                return self._slots.first[field]
            case Constant(value) if 0 <= value < field.elements:
                return self._slots.first[field] + value
        return None

    def constants(self, block: Block) -> dict[int, int]:
        """The slots that certainly have a certain value when a block has come to its end."""
        known: dict[int, int] = {}
        for statement in block:
            for slot in members(self._footprints.of_block((statement,)).writes):
                known.pop(slot, None)
            match statement:
                case Assign(field, at, Constant(value)):
                    only = self._only_slot(field, at)
                    if only is not None:
                        known[only] = field.wrap(value)
        return known


class Setting(NamedTuple):
    """How code that is run in any state sets a scalar."""

    ways: list[tuple[int | None, int | None]]
    """From which value to which, for each assignment; None where that is not known."""
    written: dict[int | None, int]
    """Slots that are written where the scalar has a certain value, or (None) in any case."""


def setting(block: Block, control: Field, footprints: Footprints) -> Setting:
    """What the conditions around statements tell of the value that a scalar has when they are run."""
    result = Setting([], defaultdict(int))
    procedures: set[Procedure] = set()

    def through(part: Any, value: int | None) -> None:
        match part:
            case Assign(field, at, expression):
                result.written[value] |= footprints.of_block((part,)).writes
                if field is control:
                    target = field.wrap(expression.value) if isinstance(expression, Constant) else None
                    result.ways.append((value, target))
                through(at, value)
                through(expression, value)
            case If(condition, then, otherwise):
                through(condition, value)
                asked = dict(filter(None, map(required_value, conjuncts(condition))))
                through(then, asked.get(control, value))
                through(otherwise, value)
            case Call(procedure, arguments):
                through(arguments, value)
                if procedure not in procedures:
                    procedures.add(procedure)
                    through(procedure.body, value)
                    through(procedure.result, value)
                else:
                    # Called again, perhaps where less is known.
                    result.ways.append((None, None))
            case Evaluate():
                through(tuple(part), value)
            case tuple():
                for each in part:
                    through(each, value)

    through(block, None)
    return result
