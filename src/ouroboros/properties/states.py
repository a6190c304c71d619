"""The search that answers all properties of states together; it goes on until each has its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ouroboros.driver.stages import CONFIRMING, REDUCING
from ouroboros.errors import OutOfTime, SelfCheckError
from ouroboros.properties.kind import Property, Section
from ouroboros.system.model import Proposition, Reduced, System
from ouroboros.verdict.report import Answer, Verdict
from ouroboros.verdict.trace import Trace, Violation

if TYPE_CHECKING:
    from ouroboros.certificate.verify import StatesClaim
    from ouroboros.driver.run import Run
    from ouroboros.driver.searching import Found
    from ouroboros.trace.replay import Representative
    from ouroboros.verdict.outcome import Finding

ENDED_EARLY = "the search ended at another violation"
GOES_WRONG = "a property of states is violated: it was not looked for"


class Seen(NamedTuple):
    """What the search says to one property."""

    found: Found
    traces: Sequence[Trace]
    """What violates this property, the nearest first."""
    true: frozenset[int] = frozenset()
    """Those of its predicates that were true in some state, by their places."""
    open: bool = False
    """Whether it could not be told apart from another one, which is violated."""

    @property
    def unknown(self) -> str | None:
        """Why the search has not seen all states."""
        if self.found.search.limit:
            return self.found.search.limit
        return ENDED_EARLY if self.open or not self.found.search.complete else None


class StateProperty(Property):
    """A property of states."""

    of_states = True
    deadlock = False
    """Whether runs must not end, nor a value overflow its variable."""
    fails = False
    """Whether a step may go wrong and violate it."""
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
        if seen.traces:
            trace, *further = seen.traces
            message = trace.violation.message
            return Answer(self.name, Verdict.VIOLATED, search, message, trace, further=tuple(further))
        if seen.unknown and not (self.idle and seen.unknown == ENDED_EARLY):
            return Answer(self.name, Verdict.UNKNOWN, search, seen.unknown)
        return Answer(self.name, Verdict.HOLDS, search)

    @classmethod
    def answers(cls, properties: Sequence[Any], run: Run) -> Iterator[Answer]:
        asked: Sequence[StateProperty] = properties
        search = _Search(asked, run)
        found, traces = search.made()
        run.covering = found.search
        run.gone_wrong = found.search if traces else None
        violated: dict[StateProperty, list[Trace]] = {}
        for trace in traces:
            concerned = next((each for each in asked if each.is_violated(trace.violation)), None)
            if concerned is None:
                raise SelfCheckError("what was found is no violation of anything that was asked")
            # The nearest comes first.
            violated.setdefault(concerned, []).append(trace)
        together = search.together
        wrong_together = any(each in violated for each in together)
        bit = 1
        for each in asked:
            count = len(each.watched(run.system))
            true = frozenset(at for at in range(count) if found.search.statistics.seen_true >> (bit + at) & 1)
            bit += count
            yield each.judged(
                Seen(found, violated.get(each, [])[: run.violations], true, wrong_together and each in together)
            )

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

    def made(self) -> tuple[Found, list[Trace]]:
        from ouroboros.driver.combinations import decided_by_order

        run, system = self.run, self.run.system
        required = _required(self.properties, system)
        watched = tuple(predicate for each in self.properties for predicate in each.watched(system))
        stage = run.resources.limits.stage
        with stage(REDUCING):
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
        groups, traces = self._groups(system, watched), []
        for finding in found.findings:
            about = required if finding.group is None else groups[finding.group]
            try:
                with stage(CONFIRMING, False):
                    traces.append(_replayed(finding, about, system, complete, reduced, representative))
            except SelfCheckError:
                if complete is smaller or finding.kind != "proposition":
                    raise
                raise decided_by_order(complete, finding.path[-1]) from None
        return found, traces

    @property
    def together(self) -> list[StateProperty]:
        """The properties that share a group with others."""
        system = self.run.system
        watched = [predicate for each in self.properties for predicate in each.watched(system)]
        told_apart = len(self._groups(system, watched))
        requiring = [each for each in self.properties if each.required(system)]
        return requiring[told_apart - 1 :] if len(requiring) > told_apart else []

    def _groups(self, system: System, watched: Sequence[Proposition]) -> list[Sequence[Proposition]]:
        """What each property requires, as far as it can be told apart beside what is watched."""
        from ouroboros.driver.searching import apart

        return apart((each.required(system) for each in self.properties), len(watched))

    @property
    def deadlock(self) -> bool:
        return any(each.deadlock for each in self.properties)

    @property
    def fails(self) -> bool:
        return any(each.fails for each in self.properties)

    def _found(self, complete: System, watched: tuple[Proposition, ...]) -> Found:
        from ouroboros.driver.searching import Sought, reach

        run, resources = self.run, self.run.resources
        # With assertions that are completed by what they say of permuted states.
        required = _required(self.properties, complete)
        groups = self._groups(complete, watched)
        # Whether all steps of a state lead back to it is a question about all of them.
        everything = range(len(complete.actions)) if self.deadlock and complete.deadlock == "stuttering" else ()
        symmetry = run.combination.symmetry
        with resources.limits.stage(REDUCING):
            stubborn = run.reductions.choices_for_states(
                complete, (*required, *watched), symmetry, resources.store.exact, everything
            )
        # Where runs may not end it matters which steps each single zone allows.
        inclusion = not self.deadlock and run.reductions.includes(complete, run.combination, watched)
        certifying = run.certifying
        evidence = certifying.evidence(_section(self.properties, run.system)) if certifying else None
        found = reach(
            complete,
            Sought(groups, self.deadlock, self.fails, watched, run.first, run.violations, inclusion),
            resources,
            symmetry,
            evidence,
            stubborn,
            run.reductions.sampled,
        )
        if found.search.complete and resources.store.exact and "partial order" in run.reductions.used:
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


def _replayed(
    finding: Finding,
    required: Sequence[Proposition],
    system: System,
    complete: System,
    reduced: Reduced | None,
    representative: Representative | None,
) -> Trace:
    """The run of the whole system that a finding stands for, in the one that was searched."""
    from ouroboros.trace.replay import concrete, replay
    from ouroboros.trace.unreduced import unreduced

    if reduced is None:
        return replay(system, finding, required, representative)
    finding = concrete(complete, finding, representative) if representative else finding
    return replay(system, unreduced(system, reduced, finding), required)


def _with_all_actions(found: Found, system: System, run: Run) -> Found:
    """With the actions that are made in states that were left out: those not seen yet are searched for."""
    from ouroboros.driver.searching import Sought, reach

    statistics, fired = found.search.statistics, found.search.statistics.fired
    missing = [action for action in range(len(system.actions)) if fired is not None and action not in fired]
    if fired is None or not missing:
        return found
    unknown = found._replace(search=replace(found.search, statistics=replace(statistics, fired=None)))
    if (run.resources.keeper or found.finding) and not run.resources.strict:
        # A search that only tells what is never executed is not worth a checkpoint, nor the time where more is wrong.
        return unknown
    try:
        with run.resources.limits.stage("looking for statements that are never executed"):
            stubborn = run.reductions.choices_for_states(system, (), False, True, missing)
        more = reach(system, Sought(), replace(run.resources, keeper=None), stubborn=stubborn)
    except OutOfTime:
        return unknown
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
