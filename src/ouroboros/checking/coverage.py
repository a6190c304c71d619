"""Coverage: the statements of a model that no run executes."""

from __future__ import annotations

from collections.abc import Iterable

from ouroboros.system.model import System
from ouroboros.verdict.report import Answer, Coverage, Search, Unreached, Verdict

COVERAGE = "coverage"


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


def covered_answer(covered: Coverage, search: Search) -> Answer:
    """Where what is never executed is a failure."""
    if covered.unreached is None:
        return Answer(COVERAGE, Verdict.UNKNOWN, search, covered.reason)
    if not covered.unreached:
        return Answer(COVERAGE, Verdict.HOLDS, search)
    reason = f"unreached statements: {len(covered.unreached)} of them are never executed"
    return Answer(COVERAGE, Verdict.VIOLATED, search, reason)


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
