"""Whether the rounds of a loop can be made in any order, with the same result.

They can if no round reads or writes what another one writes (Bernstein, 1966), with these exceptions: they may all
write the same value, all add to a number in the same direction, all add to a multiset, and use a temporary that each
round sets before it reads it and nobody reads afterwards. A loop that may be left early can be made in any order if it
writes nothing before, and leaves to the same place with the same values in whichever round.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ouroboros.languages.murphi.effects import Effects, EffectsReader, Elements, Write
from ouroboros.languages.murphi.facts import shape
from ouroboros.system.blocks import (
    Assert,
    Assign,
    Block,
    If,
    Leave,
    Print,
    Require,
    Scope,
    SetElement,
    SetLocal,
    Statement,
    While,
)
from ouroboros.system.building import Storage
from ouroboros.system.expressions import Binary, Check, Conditional, Evaluate, Expression, Unary
from ouroboros.system.layout import Field

Cell = tuple[Storage, int]
"""One element of a local array, or a temporary."""


class OrderMatters(Exception):
    """Of rounds, or so it seems."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Surroundings(NamedTuple):
    """What is around a loop."""

    rest: tuple[Block, ...] | None
    """The statements after it, block after block; None where that is not known."""
    outside: frozenset[Storage]
    """The temporaries that are read anywhere but in it."""


def confirm_independent(rounds: Sequence[Block], around: Surroundings, reader: EffectsReader) -> None:
    """Raise OrderMatters unless the rounds can be made in any order."""
    effects = [reader.of(*body) for body in rounds]
    conflicts = _conflicts(effects)
    if not conflicts:
        return
    exposed = [Exposure(reader).of(body) for body in rounds]
    after: set[Cell] | None = None
    if around.rest is not None:
        after = Exposure(reader).of(tuple(statement for block in around.rest for statement in block))
    for storage, why in conflicts.items():
        if isinstance(storage, Field):
            raise OrderMatters(why)
        cells = {(storage, at) for at in range(1 if isinstance(storage, int) else storage.length)}
        read_later = storage in around.outside if after is None else bool(cells & after)
        if read_later or any(cells & each for each in exposed):
            raise OrderMatters(why)


def _conflicts(rounds: Sequence[Effects]) -> dict[Storage, str]:
    """What one round writes and another one reads or writes."""
    writes: defaultdict[Storage, list[tuple[int, Write]]] = defaultdict(list)
    for number, effects in enumerate(rounds):
        for write in dict.fromkeys(effects.writes):
            writes[write.where.storage].append((number, write))
    found: dict[Storage, str] = {}
    for number, effects in enumerate(rounds):
        for read in dict.fromkeys(effects.reads):
            for other, write in writes.get(read.storage, ()):
                if other != number and write.where.meets(read):
                    found.setdefault(read.storage, f"a round reads what another one writes{_named(read)}")
    varying = frozenset(writes)
    for storage, all_writes in writes.items():
        for number, write in all_writes:
            for other, further in all_writes:
                if other < number and write.where.meets(further.where) and not _commute(write, further, varying):
                    found.setdefault(storage, f"rounds write different things to the same place{_named(write.where)}")
    return found


def _commute(left: Write, right: Write, varying: frozenset[Storage]) -> bool:
    if left.how != right.how:
        return False
    if left.how != "set":
        return True
    same_place = left.where == right.where and left.where.low == left.where.high
    # What is calculated from something that rounds write is the same text, and not the same value.
    return same_place and left.value.structure == right.value.structure and not left.value.mentions & varying


def _named(where: Elements) -> str:
    storage = where.storage
    if isinstance(storage, int):
        return ""
    return f": `{storage.element_name(where.low) if isinstance(storage, Field) else storage.name}`"


class Exposure:
    """Which temporaries a block may read before it has set them."""

    def __init__(self, reader: EffectsReader) -> None:
        self._reader = reader
        self._left = False
        """Whether a scope around may have been left: what follows is not sure to be run."""

    def of(self, block: Block) -> set[Cell]:
        exposed: set[Cell] = set()
        self._block(block, set(), exposed)
        return exposed

    def _block(self, block: Iterable[Statement], written: set[Cell], exposed: set[Cell]) -> None:
        """`written` grows by what is sure to be set."""
        for statement in block:
            match statement:
                case SetLocal(slot, value):
                    self._reads(value, written, exposed)
                    self._written({(slot, 0)}, written)
                case SetElement(array, at, value):
                    self._reads(at, written, exposed)
                    self._reads(value, written, exposed)
                    where = self._reader.elements(array, at)
                    if where.low == where.high:
                        self._written({(array, where.low)}, written)
                case Assign(_, at, value):
                    if at is not None:
                        self._reads(at, written, exposed)
                    self._reads(value, written, exposed)
                case If(condition, then, otherwise):
                    self._reads(condition, written, exposed)
                    first, second = set(written), set(written)
                    self._block(then, first, exposed)
                    self._block(otherwise, second, exposed)
                    self._written(first & second, written)
                case While(condition, body):
                    self._reads(condition, written, exposed)
                    self._block(body, set(written), exposed)
                case Scope(_, body):
                    inner = set(written)
                    self._block(body, inner, exposed)
                    if not self._reader.of(statement).leaves and not _leaves(statement):
                        self._written(inner, written)
                case Leave():
                    self._left = True
                case Require(condition) | Assert(condition):
                    self._reads(condition, written, exposed)
                case Print():
                    pass

    def _written(self, cells: set[Cell], written: set[Cell]) -> None:
        if not self._left:
            written |= cells

    def _reads(self, expression: Expression, written: set[Cell], exposed: set[Cell]) -> None:
        match expression:
            case Evaluate(block, result):
                inner = set(written)
                self._block(block, inner, exposed)
                self._reads(result, inner, exposed)
            case Check(operand) | Unary(_, operand):
                self._reads(operand, written, exposed)
            case Binary(_, left, right):
                self._reads(left, written, exposed)
                self._reads(right, written, exposed)
            case Conditional(condition, then, otherwise):
                for part in (condition, then, otherwise):
                    self._reads(part, written, exposed)
            case _:
                self._note(self._reader.of_expression(expression), written, exposed)

    def _note(self, effects: Effects, written: set[Cell], exposed: set[Cell]) -> None:
        for read in effects.reads:
            if not isinstance(read.storage, Field):
                exposed |= {(read.storage, at) for at in range(read.low, read.high + 1)} - written


def _leaves(statement: Statement) -> bool:
    """Whether a scope can be left before its end."""
    waiting: list[object] = [statement]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Leave):
            return True
        if isinstance(part, tuple):
            waiting += part
    return False


@dataclass(frozen=True)
class _Tail:
    """The end of a way through a round that leaves the loop: where to, and what was written on it."""

    label: int
    written: tuple[Hashable, ...]


def confirm_same_way_out(rounds: Sequence[Block], around: Surroundings, reader: EffectsReader) -> None:
    """Raise OrderMatters unless rounds that may leave the loop all do so alike, and write nothing if they do not."""
    shared = _shared_storages(rounds, reader) | around.outside
    tails: set[_Tail] = set()
    for body in rounds:
        found, written = _ways(body, (), shared, reader)
        tails |= found
        if written:
            raise OrderMatters("it may be left early, and rounds before that write something")
    if len(tails) > 1:
        raise OrderMatters("which round leaves it first decides what comes of it")


def _shared_storages(rounds: Sequence[Block], reader: EffectsReader) -> set[Storage]:
    """What a round writes that is no temporary of that round alone."""
    seen: defaultdict[Storage, set[int]] = defaultdict(set)
    for number, body in enumerate(rounds):
        effects = reader.of(*body)
        for where in (*effects.reads, *(write.where for write in effects.writes)):
            seen[where.storage].add(number)
    return {storage for storage, numbers in seen.items() if len(numbers) > 1 or isinstance(storage, Field)}


def _ways(
    block: Block, written: tuple[Hashable, ...] | None, shared: set[Storage], reader: EffectsReader
) -> tuple[set[_Tail], tuple[Hashable, ...] | None]:
    """The ways out of a loop, and what was written where a round comes to its end: None if it never does."""
    tails: set[_Tail] = set()
    for statement in block:
        if written is None:
            break
        match statement:
            case Leave(label):
                tails.add(_Tail(label, written))
                written = None
            case SetLocal(storage, value) if storage in shared:
                _confirm_pure(value, shared, reader)
                written = (*written, (storage, 0, shape(value).structure))
            case If(condition, then, otherwise):
                _confirm_pure(condition, shared, reader)
                first, then_written = _ways(then, written, shared, reader)
                second, otherwise_written = _ways(otherwise, written, shared, reader)
                tails |= first | second
                if then_written is not None and otherwise_written is not None and then_written != otherwise_written:
                    raise OrderMatters("it may be left early, and rounds before that write something")
                written = then_written if otherwise_written is None else otherwise_written
            case Scope(_, body) if reader.of(statement).leaves:
                if _leaves_itself(statement):
                    raise OrderMatters("it may be left early, in more ways than one")
                found, written = _ways(body, written, shared, reader)
                tails |= found
            case _:
                effects = reader.of(statement)
                if effects.leaves or any(write.where.storage in shared for write in effects.writes):
                    raise OrderMatters("it may be left early, and rounds before that write something")
    return tails, written


def _confirm_pure(expression: Expression, shared: set[Storage], reader: EffectsReader) -> None:
    if any(write.where.storage in shared for write in reader.of_expression(expression).writes):
        raise OrderMatters("it may be left early, and rounds before that write something")


def _leaves_itself(scope: Scope) -> bool:
    waiting: list[object] = [scope.body]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Leave) and part.label == scope.label:
            return True
        if isinstance(part, tuple):
            waiting += part
    return False
