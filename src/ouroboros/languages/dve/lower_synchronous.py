"""`system sync`: in every step each process takes one transition, all at once.

As DiVinE's explicit-state library has it: each transition is evaluated in the state before the step, and what they
change is put together. Where two of them set the same global variable the step is an error, and where some process has
no transition to take, the system is in a deadlock. Channels play no part.

An action is a choice of one transition for each process. Effects are made one after the other, and what a process has
set that a later one reads is put back in between.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import prod

from ouroboros.errors import InputError
from ouroboros.languages.dve.fields import Fields
from ouroboros.languages.dve.lower_expressions import ExpressionLowering
from ouroboros.languages.dve.lower_transitions import LoweredTransition
from ouroboros.languages.dve.model import Model, Process
from ouroboros.system.blocks import Assign, Block, Require, SetElement, SetLocal, Statement, fields_written
from ouroboros.system.choices import Action, All, Choice, Do, Switch
from ouroboros.system.expressions import (
    FALSE,
    NO_SITE,
    Constant,
    Element,
    Local,
    LocalArray,
    Read,
    conjunction,
    fields_in,
)
from ouroboros.system.layout import Field

MOST_ACTIONS = 20_000


class SynchronousLowering:
    def __init__(
        self, model: Model, fields: Fields, expressions: ExpressionLowering, first_local: int, actions: list[Action]
    ) -> None:
        """Temporaries from `first_local` on are free; the actions are added to the list."""
        self._globals = {fields.variables[each] for each in model.variables.values() if not each.constant}
        self._locations = fields.locations
        self._expressions = expressions
        self._first_local = first_local
        self._actions = actions
        self.locals = first_local
        """The most temporaries that an action uses."""

    def choices(self, behaviour: dict[Process, list[LoweredTransition]]) -> Choice:
        total = prod(map(len, behaviour.values()))
        if total > MOST_ACTIONS:
            raise InputError(
                f"the processes have {total:,} combinations of transitions, and {MOST_ACTIONS:,} are the most",
                list(behaviour)[-1].span,
            )
        return self._choose(list(behaviour.items()), [])

    def _choose(
        self, rest: Sequence[tuple[Process, list[LoweredTransition]]], chosen: list[LoweredTransition]
    ) -> Choice:
        if not rest:
            self._actions.append(self._together(chosen))
            return Do(len(self._actions) - 1)
        (process, transitions), *others = rest
        by_origin: dict[int, list[Choice]] = defaultdict(list)
        for transition in transitions:
            by_origin[transition.origin].append(self._choose(others, [*chosen, transition]))
        cases = tuple((origin, All(tuple(choices))) for origin, choices in sorted(by_origin.items()))
        return Switch(self._locations[process], cases)

    def _together(self, chosen: Sequence[LoweredTransition]) -> Action:
        guard = conjunction(*(transition.guard for transition in chosen))
        effect = self._clash(chosen) or self._effects(chosen)
        return Action(tuple(transition.part for transition in chosen), effect, guard)

    def _clash(self, chosen: Sequence[LoweredTransition]) -> Block:
        """A failure, if two processes set the same global variable."""
        owner: dict[Field, LoweredTransition] = {}
        for transition in chosen:
            for field in dict.fromkeys(fields_written(transition.effect)):
                first = owner.setdefault(field, transition)
                if field in self._globals and first is not transition:
                    message = f"{first.process.name} and {transition.process.name} both set `{field.name}` in one step"
                    span = transition.part.span
                    assert span is not None
                    return (Require(FALSE, self._expressions.site("error", message, span)),)
        return ()

    def _effects(self, chosen: Sequence[LoweredTransition]) -> Block:
        keeping = _Keeping(self._first_local)
        statements: list[Statement] = []
        afterwards: list[Statement] = []
        for number, transition in enumerate(chosen):
            read_later = {field for later in chosen[number + 1 :] for field in _read(later.effect)}
            hidden = [field for field in dict.fromkeys(fields_written(transition.effect)) if field in read_later]
            before = [keeping.copy(field) for field in hidden]
            after = [keeping.copy(field) for field in hidden]
            statements += [statement for copy in before for statement in copy.save()]
            statements += transition.effect
            for old, new in zip(before, after, strict=True):
                statements += [*new.save(), *old.restore()]
                afterwards += new.restore()
        self.locals = max(self.locals, keeping.locals)
        return (*statements, *afterwards)


class _Keeping:
    """Hands out temporaries."""

    def __init__(self, first: int) -> None:
        self.locals = first

    def copy(self, field: Field) -> _Copy:
        if field.elements > 1:
            return _Copy(field, array=LocalArray(field.name, field.elements))
        self.locals += 1
        return _Copy(field, slot=self.locals - 1)


class _Copy:
    """Where the values of a field are kept for a while."""

    def __init__(self, field: Field, slot: int = 0, array: LocalArray | None = None) -> None:
        self._field = field
        self._slot = slot
        self._array = array

    def save(self) -> Iterator[Statement]:
        if self._array is None:
            yield SetLocal(self._slot, Read(self._field, None if self._scalar else Constant(0)))
        else:
            for at in map(Constant, range(self._field.elements)):
                yield SetElement(self._array, at, Read(self._field, at), NO_SITE)

    def restore(self) -> Iterator[Statement]:
        if self._array is None:
            yield Assign(self._field, None if self._scalar else Constant(0), Local(self._slot))
        else:
            for at in map(Constant, range(self._field.elements)):
                yield Assign(self._field, at, Element(self._array, at, NO_SITE))

    @property
    def _scalar(self) -> bool:
        return self._field.length is None


def _read(effect: Iterable[Statement]) -> set[Field]:
    """The fields that the effect of a transition reads."""
    found: set[Field] = set()
    for statement in effect:
        match statement:
            case Assign(_, at, value):
                parts = [value] if at is None else [at, value]
            case SetLocal(_, value):
                parts = [value]
            case Require(condition):
                parts = [condition]
            case _:
                raise AssertionError(statement)
        found |= {field for part in parts for field in fields_in(part)}
    return found
