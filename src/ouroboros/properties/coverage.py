"""Coverage: the statements of a model that no run executes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ouroboros.properties.kind import Kind, Property
from ouroboros.system.model import System
from ouroboros.verdict.report import Answer, Coverage, Search, Unreached, Verdict

if TYPE_CHECKING:
    from ouroboros.driver.run import Run
    from ouroboros.properties.asking import Asking


class EverythingExecuted(Property):
    """What is never executed is a failure: so it is where the user is strict."""

    name = "coverage"
    of_states = True

    def answer(self, run: Run) -> Answer:
        from ouroboros.driver.searching import Sought, reach

        if run.covering is None:
            symmetry = run.combination.symmetry
            found = reach(run.system, Sought(), run.resources, symmetry=symmetry)
            run.covering = found.search
        covered = coverage(run.system, run.covering)
        if covered.unreached is None:
            return Answer(self.name, Verdict.UNKNOWN, run.covering, covered.reason)
        if not covered.unreached:
            return Answer(self.name, Verdict.HOLDS, run.covering)
        reason = f"unreached statements: {len(covered.unreached)} of them are never executed"
        return Answer(self.name, Verdict.VIOLATED, run.covering, reason)


class Coverages(Kind):
    makes = (EverythingExecuted,)

    def along(self, asking: Asking) -> Iterator[Property]:
        if asking.question.strict:
            yield EverythingExecuted()


def coverage(system: System, search: Search | None) -> Coverage:
    """What the search says of it; only a complete one can tell that something is never executed."""
    if search is None or search.statistics.fired is None:
        return Coverage(None, "no search of the states was made")
    if not search.complete:
        return Coverage(None, "the search ended before it had seen all")
    if search.omission:
        return Coverage(None, "states may have been missed")
    fired = search.statistics.fired
    return Coverage(tuple(_of_code(system, fired) if system.code else _of_actions(system, fired)))


def _of_code(system: System, fired: frozenset[int]) -> Iterable[Unreached]:
    executed = {part.number for action in fired for part in system.actions[action].parts}
    running = {line.part.process for line in system.code if line.part.number in executed}
    begun = running | {name.partition("[")[0] for name in system.processes}
    for line in system.code:
        if line.part.number not in executed:
            tried = not executed.isdisjoint(line.after) or (line.first and line.part.process in begun)
            yield Unreached(line.part, tried)


def _of_actions(system: System, fired: frozenset[int]) -> Iterable[Unreached]:
    """Where every statement is an action, or several: instances of a rule, or both sides of a handshake."""
    executed = {(part.process, part.span) for action in fired for part in system.actions[action].parts}
    told = set(executed)
    for action in system.actions:
        for part in action.parts:
            if (part.process, part.span) not in told:
                told.add((part.process, part.span))
                yield Unreached(part._replace(text=action.name or part.text), False)
