"""What some run must come to: predicates of states, and places in the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ouroboros.properties.kind import Kind, Property
from ouroboros.properties.states import ENDED_EARLY, GOES_WRONG, Seen, StateProperty
from ouroboros.system.model import Probe, Proposition, System
from ouroboros.verdict.report import Answer, Verdict

if TYPE_CHECKING:
    from ouroboros.driver.run import Run
    from ouroboros.properties.asking import Asking


class Cover(StateProperty):
    """Whether a predicate is true in some state; only a complete search can say that it never is."""

    certified = False

    def __init__(self, place: int, predicate: Proposition) -> None:
        self.name = f"cover {predicate.name}"
        self._place = place

    def watched(self, system: System) -> tuple[Proposition, ...]:
        return (system.covers[self._place],)

    def judged(self, seen: Seen) -> Answer:
        search = seen.found.search
        if seen.true:
            return Answer(self.name, Verdict.HOLDS, search, certain=True)
        if seen.unknown:
            return Answer(self.name, Verdict.UNKNOWN, search, seen.unknown)
        return Answer(self.name, Verdict.VIOLATED, search, "it is true in no reachable state")


class ProbedPlace(Property):
    """Whether some run comes to a place in the model: a search in a system that fails there."""

    of_states = True

    def __init__(self, probe: Probe) -> None:
        self.name = f"cover {probe.name}"
        self._probe = probe

    def answer(self, run: Run) -> Answer:
        from ouroboros.driver.searching import Sought, reach
        from ouroboros.trace.replay import replay

        if run.gone_wrong:
            return Answer(self.name, Verdict.UNKNOWN, run.gone_wrong, GOES_WRONG)
        system = self._probe.system()
        found = reach(system, Sought(failure=True), run.resources)
        if found.finding:
            failure = replay(system, found.finding).steps[-1].failure
            if failure and failure.kind == "covered":
                return Answer(self.name, Verdict.HOLDS, found.search, certain=True)
            # Not everything was seen before, or the model would have gone wrong then.
            return Answer(self.name, Verdict.UNKNOWN, found.search, ENDED_EARLY)
        if found.search.limit:
            return Answer(self.name, Verdict.UNKNOWN, found.search, found.search.limit)
        return Answer(self.name, Verdict.VIOLATED, found.search, "no run comes there with its condition true")


class Covers(Kind):
    makes = (Cover, ProbedPlace)

    def along(self, asking: Asking) -> Iterator[Property]:
        if asking.of_states:
            yield from (Cover(place, cover) for place, cover in enumerate(asking.system.covers))
            yield from map(ProbedPlace, asking.system.probes)
