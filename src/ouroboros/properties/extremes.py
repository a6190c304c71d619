"""The largest or smallest value that something has, by questions whether it can be beyond a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ouroboros.properties.assertions import ASSERTIONS
from ouroboros.properties.kind import Property
from ouroboros.system.interpret import evaluate
from ouroboros.system.model import Measure, Query
from ouroboros.verdict.report import Answer, Verdict

if TYPE_CHECKING:
    from ouroboros.driver.run import Run
    from ouroboros.driver.searching import Found
    from ouroboros.verdict.trace import Trace


def found_among_states(query: Query, run: Run) -> tuple[Found, Trace | None]:
    from ouroboros.driver.searching import Sought, reach
    from ouroboros.trace.replay import replay

    system, required = query.system(), tuple(query.propositions())
    sought = Sought(
        [required],
        deadlock=query.kind == "endless",
        failure=query.failing,
        inclusion=run.reductions.includes(system, run.combination),
    )
    found = reach(system, sought, run.resources)
    return found, replay(system, found.finding, required) if found.finding else None


def unfinished(found: Found) -> str | None:
    """Why what was not found may be there nevertheless."""
    if found.search.limit:
        return found.search.limit
    if found.search.statistics.failures + found.search.statistics.overflows:
        return f"a step of the model goes wrong, and leads nowhere: see --property {ASSERTIONS}"
    return None


class _Interrupted(Exception):
    """A search was not finished: nothing is known."""


class Extreme(Property):
    """Answered by several searches: each that comes to a state begins with a better value."""

    def __init__(self, query: Query) -> None:
        assert query.measure
        self.name = query.name
        self._query = query
        self._measure: Measure = query.measure
        self._sign = 1 if query.kind == "largest" else -1

    def answer(self, run: Run) -> Answer:
        found, trace = found_among_states(self._query, run)
        self._last: tuple[Found, Trace | None] = found, trace
        answer = Answer(self.name, Verdict.HOLDS, found.search, formula=self._query.text)
        try:
            if trace is None:
                self._confirm_complete()
                reason = f"{self._measure.text} has no value: no run comes to such a state"
                return replace(answer, verdict=Verdict.VIOLATED, reason=reason)
            told = self._number(run, trace) if self._measure.value else self._clock(run)
        except _Interrupted:
            return replace(answer, verdict=Verdict.UNKNOWN, reason=unfinished(self._last[0]))
        reason = f"the {self._query.kind} value of {self._measure.text} is {told}"
        return replace(answer, search=self._last[0].search, reason=reason)

    def _confirm_complete(self) -> None:
        if unfinished(self._last[0]):
            raise _Interrupted

    def _reached(self, run: Run, bound: int, beyond: bool = False) -> Trace | None:
        self._last = found_among_states(self._measure.reaches(bound, beyond), run)
        if self._last[1] is None:
            self._confirm_complete()
        return self._last[1]

    def _number(self, run: Run, witness: Trace) -> str:
        sign, measure = self._sign, self._measure
        assert measure.value

        def value(trace: Trace) -> int:
            *_, state = trace.states
            assert measure.value
            return sign * evaluate(trace.system, state, measure.value)

        def better(bound: int) -> int | None:
            trace = self._reached(run, sign * bound)
            return value(trace) if trace else None

        best = max(sign * measure.low, sign * measure.high)
        return f"{sign * last_that_holds(better, value(witness), best):,}"

    def _clock(self, run: Run) -> str:
        """All values between two numbers are the same to integer bounds: the end may belong to them, or not."""
        most = self._measure.high
        if self._query.kind == "largest":
            largest = last_that_holds(lambda bound: bound if self._reached(run, bound) else None, 0, most)
            if largest == most:
                return f"at least {most:,}: larger ones are not looked for"
            return f"less than {largest + 1:,}" if self._reached(run, largest, beyond=True) else f"{largest:,}"
        smallest = 1 + last_that_holds(lambda bound: None if self._reached(run, bound) else bound, -1, most)
        if smallest > most:
            return f"more than {most:,}: smaller ones are not there"
        return f"more than {smallest - 1:,}" if self._reached(run, smallest, beyond=True) else f"{smallest:,}"


def last_that_holds(test: Callable[[int], int | None], known: int, most: int) -> int:
    """The last number for which a test succeeds that fails from some number on; it may tell of a later one."""
    step = 1
    while known + step <= most:
        found = test(known + step)
        if found is None:
            most = known + step - 1
        else:
            known, step = max(known + step, found), 2 * step
    while known < most:
        middle = (known + most + 1) // 2
        found = test(middle)
        if found is None:
            most = middle - 1
        else:
            known = max(middle, found)
    return known
