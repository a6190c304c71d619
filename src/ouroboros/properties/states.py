"""The search that answers all properties of states together; the nearest violation ends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ouroboros.errors import SelfCheckError
from ouroboros.properties.kind import Property, Section
from ouroboros.system.model import Proposition, Reduced, System
from ouroboros.verdict.report import Answer, Verdict
from ouroboros.verdict.trace import Trace, Violation

if TYPE_CHECKING:
    from ouroboros.certificate.verify import StatesClaim
    from ouroboros.driver.run import Run
    from ouroboros.driver.searching import Found
    from ouroboros.trace.replay import Representative

ENDED_EARLY = "the search ended at another violation"
GOES_WRONG = "a property of states is violated: it was not looked for"


class Seen(NamedTuple):
    """What the search says to one property."""

    found: Found
    trace: Trace | None
    """What violates this property."""
    true: frozenset[int] = frozenset()
    """Those of its predicates that were true in some state, by their places."""

    @property
    def unknown(self) -> str | None:
        """Why the search has not seen all states."""
        if self.found.search.limit:
            return self.found.search.limit
        return ENDED_EARLY if self.found.finding else None


class StateProperty(Property):
    """A property of states."""

    of_states = True
    deadlock = False
    """Whether runs must not end, nor a value overflow its variable."""
    certified = True
    """Whether the set of all states shows it."""

    @property
    def family(self) -> type[Property]:
        return StateProperty

    def required(self, system: System) -> tuple[Proposition, ...]:
        """Predicates that every state must satisfy."""
        return ()

    def watched(self, system: System) -> tuple[Proposition, ...]:
        """Predicates of which it must be known whether they are true anywhere."""
        return ()

    def is_violated(self, violation: Violation) -> bool:
        """Whether what the interpreter has confirmed is a violation of this property."""
        return False

    def judged(self, seen: Seen) -> Answer:
        search = seen.found.search
        if seen.trace:
            return Answer(self.name, Verdict.VIOLATED, search, seen.trace.violation.message, seen.trace)
        if seen.unknown:
            return Answer(self.name, Verdict.UNKNOWN, search, seen.unknown)
        return Answer(self.name, Verdict.HOLDS, search)

    @classmethod
    def answers(cls, properties: Sequence[Any], run: Run) -> Iterator[Answer]:
        asked: Sequence[StateProperty] = properties
        found, trace = _Search(asked, run).made()
        run.covering = found.search
        run.gone_wrong = found.search if trace else None
        violated = next((each for each in asked if trace and each.is_violated(trace.violation)), None)
        if trace and violated is None:
            raise SelfCheckError("what was found is no violation of anything that was asked")
        bit = 1
        for each in asked:
            count = len(each.watched(run.system))
            true = frozenset(at for at in range(count) if found.search.statistics.seen_true >> (bit + at) & 1)
            bit += count
            yield each.judged(Seen(found, trace if each is violated else None, true))

    @classmethod
    def claims(cls, properties: Sequence[Any], system: System) -> Iterator[tuple[Section, StatesClaim]]:
        from ouroboros.certificate.verify import StatesClaim

        required, deadlock = _required(properties, system), any(each.deadlock for each in properties)
        yield _section(properties, system), StatesClaim(system, required, deadlock)


def _required(properties: Sequence[StateProperty], system: System) -> tuple[Proposition, ...]:
    return tuple(predicate for each in properties for predicate in each.required(system))


def _section(properties: Sequence[StateProperty], system: System) -> Section:
    names = [each.name for each in properties if each.certified]
    return {"kind": "states", "properties": names, "words": system.layout.words}


@dataclass
class _Search:
    """What is searched, and how what it finds becomes a run of the whole system."""

    properties: Sequence[StateProperty]
    run: Run

    def made(self) -> tuple[Found, Trace | None]:
        from ouroboros.trace.replay import concrete, replay
        from ouroboros.trace.unreduced import unreduced

        run, system = self.run, self.run.system
        required = _required(self.properties, system)
        watched = tuple(predicate for each in self.properties for predicate in each.watched(system))
        reduced = run.reductions.for_states(system, (*required, *watched), self.deadlock)
        smaller = reduced.system if reduced else system
        symmetry = system.symmetry if run.combination.symmetry else None
        complete = symmetry.complete(smaller) if symmetry else smaller
        if symmetry and run.reductions.checked:
            self._check_symmetry(symmetry.complete(system))
        found = self._found(complete, watched)
        representative = _representative(run)
        if reduced:
            found = _of_whole(found, reduced)
            if found.finding:
                finding = concrete(complete, found.finding, representative) if representative else found.finding
                found = found._replace(finding=unreduced(system, reduced, finding))
                representative = None
        try:
            trace = replay(system, found.finding, required, representative) if found.finding else None
        except SelfCheckError:
            if complete is smaller or not found.finding or found.finding.kind != "proposition":
                raise
            from ouroboros.driver.combinations import decided_by_order

            raise decided_by_order(complete, found.finding.path[-1]) from None
        return found, trace

    @property
    def deadlock(self) -> bool:
        return any(each.deadlock for each in self.properties)

    def _found(self, complete: System, watched: tuple[Proposition, ...]) -> Found:
        from ouroboros.driver.searching import reach

        run, resources = self.run, self.run.resources
        # With assertions that are completed by what they say of permuted states.
        required = _required(self.properties, complete)
        # Whether all steps of a state lead back to it is a question about all of them.
        everything = range(len(complete.actions)) if self.deadlock and complete.deadlock == "stuttering" else ()
        symmetry = run.combination.symmetry
        stubborn = run.reductions.choices_for_states(
            complete, (*required, *watched), symmetry, resources.store.exact, everything
        )
        certifying = run.certifying
        evidence = certifying.evidence(_section(self.properties, run.system)) if certifying else None
        found = reach(
            complete, required, self.deadlock, True, resources, watched, symmetry, evidence, stubborn,
            run.reductions.sampled,
        )  # fmt: skip
        whole = not found.finding and not found.search.limit and resources.store.exact
        if whole and "partial order" in run.reductions.used:
            found = _with_all_actions(found, complete, run)
        return found

    def _check_symmetry(self, complete: System) -> None:
        """With assertions that fail in permuted states as well: where only the order decides, the search says so."""
        from ouroboros.reduce.symmetry_referee import check_symmetry

        own = set(map(id, complete.assertions))
        others = [predicate for predicate in _required(self.properties, complete) if id(predicate) not in own]
        fault = check_symmetry(complete, others).fault
        if fault:
            raise SelfCheckError(f"symmetry relies on what does not hold: {fault}")


def _with_all_actions(found: Found, system: System, run: Run) -> Found:
    """With the actions that are made in states that were left out: those not seen yet are searched for."""
    from ouroboros.driver.searching import reach

    statistics, fired = found.search.statistics, found.search.statistics.fired
    missing = [action for action in range(len(system.actions)) if fired is not None and action not in fired]
    if fired is None or not missing:
        return found
    unknown = found._replace(search=replace(found.search, statistics=replace(statistics, fired=None)))
    if run.resources.keeper and not run.resources.strict:
        # A search that only tells what is never executed is not worth a checkpoint.
        return unknown
    stubborn = run.reductions.choices_for_states(system, (), False, True, missing)
    more = reach(system, (), False, False, replace(run.resources, keeper=None), stubborn=stubborn)
    if more.search.limit:
        return unknown
    everything = fired | (more.search.statistics.fired or frozenset())
    return found._replace(search=replace(found.search, statistics=replace(statistics, fired=everything)))


def _of_whole(found: Found, reduced: Reduced) -> Found:
    """With the actions of the whole system that were made."""
    statistics = found.search.statistics
    if statistics.fired is None:
        return found
    fired = frozenset(origin for action in statistics.fired for origin in reduced.origins[action])
    return found._replace(search=replace(found.search, statistics=replace(statistics, fired=fired)))


def _representative(run: Run) -> Representative | None:
    if not run.combination.symmetry or run.system.symmetry is None:
        return None
    from ouroboros.graph.canonical import Canonicaliser

    return Canonicaliser(run.system.layout, run.system.symmetry).representative
