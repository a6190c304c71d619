"""When the steps of a run are made, as rational numbers: the zones of a trace say only that there are such moments.

What a run asks of clocks are bounds on how much time lies between two moments: a clock shows how long ago it was set.
The earliest moments that keep all of them are shortest paths (Bellman, Ford); `less than` counts as a little less.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from ouroboros.errors import SelfCheckError
from ouroboros.system import zones
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.blocks import Settle
from ouroboros.system.execution import Execution
from ouroboros.system.expressions import Binary, Difference, Expression, Meets, Stuck, Unary
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import Proposition, System
from ouroboros.verdict.trace import Trace, TraceStep

_MOST_STEPS = 2_000
"""In a longer run nobody looks for a moment."""


class Bound(NamedTuple):
    """One moment is after another by at most this much, or by less."""

    later: int
    earlier: int
    most: int
    strict: bool


@dataclass
class _Schedule:
    """Moments are numbered; what must lie between them."""

    system: System
    bounds: list[Bound] = field(default_factory=list)
    now: int = 0
    made: int = 0
    """The moment before the run waited last."""
    clocks: list[tuple[int, int]] = field(default_factory=list)
    """When each clock was set, and to what."""

    def copy(self) -> _Schedule:
        return replace(self, bounds=list(self.bounds), clocks=list(self.clocks))

    def bound(self, row: int, column: int, most: int, strict: bool) -> None:
        (one, ahead), (other, behind) = self.clock(row), self.clock(column)
        self.bounds.append(Bound(other, one, most - ahead + behind, strict))

    def clock(self, number: int) -> tuple[int, int]:
        return self.clocks[number] if number else (self.now, 0)

    def wait(self) -> None:
        self.made = self.now
        self.now += 1
        self.bounds.append(Bound(self.made, self.now, 0, False))


class _Watching(Execution):
    """Makes a step again, and notes what it asks of the clocks in place of changing a zone."""

    def __init__(self, schedule: _Schedule, state: Vector) -> None:
        super().__init__(schedule.system, list(state))
        self.schedule = schedule

    def zone(self, item: Field) -> zones.Matrix:
        return []

    def set_zone(self, item: Field, matrix: zones.Matrix) -> None:
        pass

    def constrained(self, matrix: zones.Matrix, difference: Difference) -> bool:
        row, column, most = (self.value(each) for each in (difference.row, difference.column, difference.bound))
        self.schedule.bound(row, column, most, difference.strict)
        return True

    def reset(self, matrix: zones.Matrix, clock: int, value: int) -> None:
        self.schedule.clocks[clock] = (self.schedule.now, value)

    def settle(self, end: Settle) -> None:
        schedule = self.schedule
        limits = [
            (self.value(limit.clock), self.value(limit.bound), limit.strict)
            for limit in end.limits
            if self.value(limit.condition)
        ]
        for clock, most, strict in limits:
            schedule.bound(clock, 0, most, strict)
        schedule.made = schedule.now
        if self.value(end.delays):
            schedule.wait()
            for clock, most, strict in limits:
                schedule.bound(clock, 0, most, strict)


def with_moments(trace: Trace, required: Sequence[Proposition] = ()) -> Trace:
    """The trace with a moment for each step, and one for its end; `required` is what is false there."""
    system = trace.system
    if system.zone is None or len(trace.steps) > _MOST_STEPS:
        return trace
    schedule = _Schedule(system, clocks=[(0, 0)] * len(system.clocks))
    _Watching(schedule, trace.initial).run(system.start)
    at = _walk(schedule, trace, range(1, len(trace.steps) + 1))
    if at is None:
        return trace
    last = next((step.state for step in reversed(trace.steps) if step.state is not None), trace.initial)
    wanted = [_demands(system, last, each.expression, False) for each in required] or [iter([[]])]
    if trace.loop_start is not None and trace.steps[-1].action is not None:
        action = system.actions[trace.steps[-1].action]
        if not action.effect:
            # The run stays where it is, which it may if the guard holds.
            wanted = [_demands(system, last, action.guard, True)]
    for demands in (each for ways in wanted for each in ways):
        attempt = schedule.copy()
        for row, column, most, strict in demands:
            attempt.bound(row, column, most, strict)
        try:
            moments = _earliest(attempt)
        except SelfCheckError:
            continue
        if trace.loop_start is not None:
            return replace(trace, moments=tuple(moments[each] for each in at), zeno=_is_zeno(schedule, trace))
        timed = tuple(moments[each] for each in (*at, attempt.now))
        return replace(trace, moments=timed, timelock=_is_timelock(system, last, required))
    raise SelfCheckError("there are no moments at which the steps of the counterexample could be made")


def _walk(schedule: _Schedule, trace: Trace, numbers: range) -> list[int] | None:
    """The moments of the steps; None if one of them cannot be made again alone."""
    at: list[int] = []
    for number in numbers:
        step = trace.steps[number - 1]
        if step.action is not None and step.state is not None:
            try:
                _Watching(schedule, trace.before(number)).run(schedule.system.actions[step.action].effect)
            except ExecutionError:
                return None
            at.append(schedule.made if _waits(schedule.system, step) else schedule.now)
        else:
            at.append(schedule.now)
    return at


def _waits(system: System, step: TraceStep) -> bool:
    return step.action is not None and bool(system.actions[step.action].effect)


def _is_zeno(schedule: _Schedule, trace: Trace) -> bool:
    """Whether no more than some time passes however often the cycle is made: all the more often it takes no longer."""
    assert trace.loop_start is not None
    cycle = range(trace.loop_start + 1, len(trace.steps) + 1)
    if not any(_waits(schedule.system, trace.steps[number - 1]) for number in cycle):
        return False
    start = schedule.now
    lengths: list[int | None] = []
    rounds = len(schedule.system.clocks)
    for _ in range(2):
        for _ in range(rounds):
            _walk(schedule, trace, cycle)
        lengths.append(_longest(schedule, start))
    return lengths[0] is not None and lengths[0] == lengths[1]


def _longest(schedule: _Schedule, start: int) -> int | None:
    """The most time that may lie between a moment and the last one; None if there is no limit."""
    edges = [(each.earlier, each.later, (each.most, 0)) for each in schedule.bounds]
    found = _shortest(schedule.now + 1, start, edges)[schedule.now]
    return found[0] if found else None


def _earliest(schedule: _Schedule) -> list[Fraction]:
    """Raises SelfCheckError if there are no such moments."""
    edges = [(each.later, each.earlier, (each.most, -each.strict)) for each in schedule.bounds]
    far = [each or (0, 0) for each in _shortest(schedule.now + 1, 0, edges)]
    size = 1
    while True:
        # A little is so little that all bounds are kept; a power of two is easy to read.
        moments = [-whole - Fraction(parts, size) for whole, parts in far]
        if all(_is_kept(each, moments) for each in schedule.bounds):
            return moments
        size *= 2
        if size > 1 << 64:
            raise SelfCheckError("the moments of a counterexample were not found")


def _is_kept(bound: Bound, moments: Sequence[Fraction]) -> bool:
    between = moments[bound.later] - moments[bound.earlier]
    return between < bound.most or (between == bound.most and not bound.strict)


Length: TypeAlias = tuple[int, int]
"""A number, and how often a little is added to it."""


def _shortest(size: int, start: int, edges: Sequence[tuple[int, int, Length]]) -> list[Length | None]:
    """The lengths of shortest paths; raises SelfCheckError where going round in circles makes them ever shorter."""
    leaving: list[list[tuple[int, Length]]] = [[] for _ in range(size)]
    for origin, target, length in edges:
        leaving[origin].append((target, length))
    far: list[Length | None] = [None] * size
    far[start] = (0, 0)
    waiting, queued, visits = deque([start]), {start}, [0] * size
    while waiting:
        origin = waiting.popleft()
        queued.discard(origin)
        visits[origin] += 1
        if visits[origin] > size + 1:
            raise SelfCheckError("the bounds on the moments of a counterexample contradict each other")
        here = far[origin]
        assert here is not None
        for target, (whole, parts) in leaving[origin]:
            found, known = (here[0] + whole, here[1] + parts), far[target]
            if known is None or found < known:
                far[target] = found
                if target not in queued:
                    queued.add(target)
                    waiting.append(target)
    return far


# What is asked of clocks where a run ends


def _is_timelock(system: System, state: Vector, required: Sequence[Proposition]) -> bool:
    """Whether it is asked for a state that is stuck, and time cannot go on there for ever."""
    questions = [part for each in required for part in _parts(each.expression) if isinstance(part, Stuck)]
    execution = Execution(system, list(state))
    for question in questions:
        stuck = execution.stuck_parts(question)
        if stuck and not question.escaping:
            endless = all(row[0] >= zones.INFINITY for part in stuck for row in part[1:])
            return not (endless and execution.value(question.delays))
    return False


def _parts(expression: Expression) -> Iterator[Expression]:
    yield expression
    match expression:
        case Unary(_, operand):
            yield from _parts(operand)
        case Binary(_, left, right):
            yield from _parts(left)
            yield from _parts(right)


Demands: TypeAlias = list[tuple[int, int, int, bool]]


def _demands(system: System, state: Vector, expression: Expression, wanted: bool) -> Iterator[Demands]:
    """The ways in which some valuation of a state can make an expression true, or false: each as bounds on clocks."""
    match expression:
        case Unary("not", operand):
            yield from _demands(system, state, operand, not wanted)
        case Binary("and" | "or" as operator, left, right) if (operator == "and") == wanted:
            for one in _demands(system, state, left, wanted):
                for other in _demands(system, state, right, wanted):
                    yield one + other
        case Binary("and" | "or", left, right):
            yield from _demands(system, state, left, wanted)
            yield from _demands(system, state, right, wanted)
        case Meets(_, constraints) if wanted:
            yield _constraints(system, state, constraints)
        case Stuck() if wanted and not expression.escaping:
            for part in Execution(system, list(state)).stuck_parts(expression):
                yield [
                    (row, column, most >> 1, not most & 1)
                    for row, bounds in enumerate(part)
                    for column, most in enumerate(bounds)
                    if row != column and most < zones.INFINITY
                ]
        case _:
            if bool(Execution(system, list(state)).value(expression)) == wanted:
                yield []


def _constraints(system: System, state: Vector, constraints: Sequence[Difference]) -> Demands:
    value = Execution(system, list(state)).value
    return [(value(row), value(column), value(most), strict) for row, column, most, strict in constraints]
