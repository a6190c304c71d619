"""The answers of a run: search after search, and every violation replayed before it is called one."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ouroboros.checking.answers import cover_answers, honest, response_answer, state_answers, watched_answer
from ouroboros.checking.certifying import CertificateFile, Certifying
from ouroboros.checking.choueka import under_fairness
from ouroboros.checking.combinations import Combination, decided_by_order, refuse
from ouroboros.checking.coverage import coverage, covered_answer
from ouroboros.checking.fairness import NOTHING_SAID, FairnessOptions
from ouroboros.checking.ltl_file import read_source
from ouroboros.checking.queries import answer_query
from ouroboros.checking.question import ASSERTIONS, Asked, ask, asks_for_states, deadlock_name
from ouroboros.checking.reducing import Reductions
from ouroboros.checking.searching import Found, NoRoom, Resources, attain, find_cycle, find_unanswered, reach
from ouroboros.checking.terms import Terms, states_section, under
from ouroboros.checking.watched import MOST_ATOMS
from ouroboros.engine.limits import Limits, Observer
from ouroboros.engine.stores.choice import StoreChoice, read_store
from ouroboros.errors import SelfCheckError, UsageError
from ouroboros.languages import FairModel, GrowingModel, Model
from ouroboros.reduce.symmetry_referee import check_symmetry
from ouroboros.system.fairness import Strength
from ouroboros.system.model import REDUCTIONS, Deadlock, Proposition, Reduced, ReductionKind, System
from ouroboros.trace.fair import FairRuns, replay_response
from ouroboros.trace.lasso import replay_beside
from ouroboros.trace.replay import Representative, concrete, replay
from ouroboros.trace.unreduced import unreduced, unreduced_beside
from ouroboros.verdict.report import Answer, Report, Saving, Search, Setting, Verdict

if TYPE_CHECKING:
    from ouroboros.checkpoint.keeper import Keeper
    from ouroboros.engine.team import Team
    from ouroboros.search.accepting import Algorithm
    from ouroboros.search.graph_search import EdgePolicy
    from ouroboros.search.product_search import Order

Kernels = Literal["states", "cycles", "fair cycles"]
"""Which searches are made; the kernels of each kind are compiled when it is first used."""


def check(
    model: Model,
    *,
    properties: Sequence[str] = (),
    invariants: Sequence[str] = (),
    ltl: Sequence[str] = (),
    ltl_files: Sequence[str | Path] = (),
    deadlock: Deadlock | Literal["off"] | None = None,
    symmetry: bool = False,
    algorithm: Algorithm | Literal["auto"] = "auto",
    order: Order | None = None,
    edges: EdgePolicy | None = None,
    safety: bool = False,
    reductions: Collection[ReductionKind] = REDUCTIONS,
    check_reductions: bool = False,
    responses: Sequence[str] = (),
    fairness: Strength | None = None,
    weak: Sequence[str] = (),
    strong: Sequence[str] = (),
    stutter: bool | None = None,
    store: str = "full",
    seed: int = 0,
    strict: bool = False,
    team: Team | None = None,
    limits: Limits | None = None,
    observer: Observer | None = None,
    before_search: Callable[[Kernels], None] | None = None,
    keeper: Keeper | None = None,
    certificate: CertificateFile | None = None,
) -> Report:
    """Check properties chosen by name, expressions that must hold in every state, and formulas of temporal logic.

    One search answers all that is asked of states, and the nearest violation ends it; each formula and each automaton
    of the model gets a search of its own, by the given algorithm or the one that suits it best. `before_search` is
    called when the question is accepted, before the engine is loaded, with the kinds of kernels that will be needed.
    `deadlock` is what a deadlock is, if not what the model's language says. With `symmetry`, of states that differ only
    by a permutation of alike values one is explored.

    Formulas, automata and `responses`, which are written `p ~> q`, speak of the runs that are fair: to all processes or
    actions with `fairness`, to those whose names match the patterns `weak` or `strong`, and to those that the model
    makes fair. With `stutter`, a run may stay in a state for ever; that is so for responses unless it is False.

    With `check_reductions`, the interpreter first tries in many states what reductions take for granted; where it does
    not hold, SelfCheckError is raised.

    Where all holds, the `certificate` is written, for which nothing is left out: there is no partial order reduction.

    A `keeper` saves the searches now and then, and goes on with those that it remembers.
    """
    said = FairnessOptions(fairness, tuple(weak), tuple(strong))
    resources = _resources(team, limits, observer, read_store(store, seed), strict, keeper)
    if safety:
        if properties or ltl or ltl_files:
            raise UsageError("--safety chooses the properties: leave out --property and --ltl")
        properties = (ASSERTIONS, deadlock_name(model.system))
    formula_files = [read_source(path) for path in ltl_files]
    grown: list[int] = []
    while True:
        try:
            conditions = _conditions(model, said, responses)
            fairly = NOTHING_SAID if conditions else said
            asked = ask(
                model, properties, invariants, ltl, formula_files, responses, fairly, deadlocks=deadlock != "off"
            )
            if conditions:
                asked = replace(asked, watched=tuple(under_fairness(each, conditions) for each in asked.watched))
            combination = Combination(
                algorithm=None if algorithm == "auto" else algorithm,
                order=order,
                edges=edges,
                store=resources.store,
                workers=resources.team.size,
                cycles=bool(asked.watched or asked.queries),
                responses=bool(asked.responses),
                fair=bool(asked.fairness),
                fairness_asked=said != NOTHING_SAID,
                stutter=stutter,
                symmetry=symmetry,
                symmetric=model.abilities.alike,
                alike=model.system.symmetry,
                attainable=bool(model.system.attainable),
                saved=keeper is not None,
                distinguishes=any(item.distinguishes for item in asked.invariants),
                certified=certificate is not None,
            )
            refuse(combination)
            wanted = Reductions(frozenset(reductions), checked=check_reductions)
            if certificate is None:
                return _check(model, asked, combination, deadlock, resources, before_search, wanted)
            terms = Terms(
                model=model.system.source.name,
                sha256=model.system.source.sha256,
                overflow=certificate.overflow,
                definitions=certificate.definitions,
                properties=properties,
                invariants=invariants,
                ltl=ltl,
                formula_files=[(file.name, file.text) for file in formula_files],
                deadlock=deadlock,
                grown=grown,
            )
            certifying = Certifying(certificate, terms, resources.team.leads)
            try:
                report = _check(
                    model, asked, combination, deadlock, resources, before_search, Reductions(frozenset()), certifying
                )
                certified = certifying.finished(report.answers)
                return replace(report, certificate=replace(certified, unreduced=bool(reductions)))
            finally:
                certifying.give_up()
        except NoRoom as missing:
            _grow(model, missing, keeper)
            grown.append(missing.site)
            before_search = None


def _grow(model: Model, missing: NoRoom, keeper: Keeper | None) -> None:
    assert isinstance(model, GrowingModel)
    model.grow((missing.site,))
    if keeper:
        keeper.grow(missing.site)


def _grow_as_before(keeper: Keeper | None) -> None:
    """A model that had too little room before a checkpoint is to have as much as it had then."""
    site = keeper.growth() if keeper else None
    if site is not None:
        raise NoRoom(site)


def _conditions(model: Model, said: FairnessOptions, responses: Sequence[str]) -> tuple[Proposition, ...]:
    """What must hold again and again, where the fairness that was asked for can be said like that: then every algorithm
    can look for a cycle.
    """
    if said != FairnessOptions("weak") or responses or not isinstance(model, FairModel):
        return ()
    return model.fair()


def _check(
    model: Model,
    asked: Asked,
    combination: Combination,
    deadlock: Deadlock | Literal["off"] | None,
    resources: Resources,
    before_search: Callable[[Kernels], None] | None,
    reductions: Reductions,
    certifying: Certifying | None = None,
) -> Report:
    if before_search:
        before_search(_kernels(asked, combination.stutter))
    _grow_as_before(resources.keeper)
    # Reading expressions may have made it another system.
    system = under(model.system, deadlock)
    answers: list[Answer] = []
    peaks: list[int] = []
    covering: Search | None = None
    required = (*system.assertions, *asked.invariants)
    if asks_for_states(system, asked):
        reduced = reductions.for_states(system, (*required, *system.covers), asked.deadlock)
        smaller = reduced.system if reduced else system
        symmetry = combination.symmetry
        evidence = certifying.evidence(states_section(system, asked)) if certifying else None
        complete = system.symmetry.complete(smaller) if symmetry and system.symmetry else smaller
        if symmetry and system.symmetry and reductions.checked:
            # With assertions that fail in permuted states as well: where only the order decides, the search says so.
            fault = check_symmetry(system.symmetry.complete(system), asked.invariants).fault
            if fault:
                raise SelfCheckError(f"symmetry relies on what does not hold: {fault}")
        searched = (*complete.assertions, *asked.invariants)
        observed = (*searched, *system.covers)
        # Whether all steps of a state lead back to it is a question about all of them.
        everything = range(len(complete.actions)) if asked.deadlock and complete.deadlock == "stuttering" else ()
        stubborn = reductions.choices_for_states(complete, observed, symmetry, resources.store.exact, everything)
        found = reach(
            complete, searched, asked.deadlock, True, resources, system.covers, symmetry, evidence, stubborn,
            reductions.sampled,
        )  # fmt: skip
        if (
            "partial order" in reductions.used
            and not found.finding
            and not found.search.limit
            and resources.store.exact
        ):
            found = _with_all_actions(found, complete, reductions, resources)
        representative = _representative(system, symmetry)
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
            raise decided_by_order(complete, found.finding.path[-1]) from None
        answers += state_answers(system, asked, trace, found)
        answers += cover_answers(system.covers, found)
        peaks.append(found.peak_bytes)
        covering = found.search
    if asked.assertions and not any(answer.verdict is Verdict.VIOLATED for answer in answers):
        answers += _attained(system, resources, peaks)
        answers += _probed(system, resources, peaks)
    for watched in asked.watched:
        fair = FairRuns(asked.fairness, bool(combination.stutter))
        reduced = reductions.for_runs(system, watched, fair)
        smaller = reduced.system if reduced else system
        found, product, watcher = find_cycle(smaller, watched, fair, combination, resources, certifying, reductions)
        if certifying:
            certifying.lacks(found.evidence_limit)
        if reduced:
            # Whatever was left out of the search, the run must be one of the whole system.
            product = replace(product, actions=system.actions, choices=system.choices, failures=system.failures)
            if found.finding:
                found = found._replace(finding=unreduced_beside(product, watcher, reduced, found.finding))
        trace = replay_beside(product, watcher, found.finding, fair) if found.finding else None
        answers.append(watched_answer(watched, fair, trace, found))
        peaks.append(found.peak_bytes)
    for query in asked.queries:
        answer, peak = answer_query(query, combination, resources)
        answers.append(answer)
        peaks.append(peak)
    for response in asked.responses:
        stutters = response.stutters if combination.stutter is None else combination.stutter
        fair = FairRuns(asked.fairness, stutters)
        found = find_unanswered(system, response, fair, combination, resources)
        trace = replay_response(system, response.p, response.q, found.finding, fair) if found.finding else None
        answers.append(response_answer(response, fair, trace, found))
        peaks.append(found.peak_bytes)
    if resources.strict and covering is None:
        found = reach(system, (), False, False, resources, symmetry=combination.symmetry)
        peaks.append(found.peak_bytes)
        covering = found.search
    return _report(system, answers, resources, peaks, combination.symmetry, covering, reductions)


def _with_all_actions(found: Found, system: System, reductions: Reductions, resources: Resources) -> Found:
    """With the actions that are made in states that were left out: those not seen yet are searched for."""
    fired = found.search.statistics.fired
    missing = [action for action in range(len(system.actions)) if fired is not None and action not in fired]
    if fired is None or not missing:
        return found
    statistics = found.search.statistics
    unknown = found._replace(search=replace(found.search, statistics=replace(statistics, fired=None)))
    if resources.keeper and not resources.strict:
        # A search that only tells what is never executed is not worth a checkpoint.
        return unknown
    resources = replace(resources, keeper=None)
    stubborn = reductions.choices_for_states(system, (), False, True, missing)
    more = reach(system, (), False, False, resources, stubborn=stubborn)
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


def explore(
    model: Model,
    *,
    store: str = "full",
    symmetry: bool = False,
    seed: int = 0,
    strict: bool = False,
    team: Team | None = None,
    limits: Limits | None = None,
    observer: Observer | None = None,
    before_search: Callable[[Kernels], None] | None = None,
    keeper: Keeper | None = None,
) -> Report:
    """Visit every state, whatever is wrong with it, and count; with `symmetry`, one of each orbit."""
    resources = _resources(team, limits, observer, read_store(store, seed), strict, keeper)
    refuse(
        Combination(
            cycles=False,
            store=resources.store,
            symmetry=symmetry,
            symmetric=model.abilities.alike,
            alike=model.system.symmetry,
            saved=keeper is not None,
        )
    )
    if before_search:
        before_search("states")
    while True:
        try:
            _grow_as_before(keeper)
            found = reach(model.system, (), False, False, resources, symmetry=symmetry)
            break
        except NoRoom as missing:
            _grow(model, missing, keeper)
    limit = found.search.limit
    answers = [Answer("every state is visited", Verdict.UNKNOWN if limit else Verdict.HOLDS, found.search, limit)]
    return _report(model.system, answers, resources, [found.peak_bytes], symmetry, found.search)


def _representative(system: System, symmetry: bool) -> Representative | None:
    if not symmetry or system.symmetry is None:
        return None
    from ouroboros.graph.canonical import Canonicaliser

    return Canonicaliser(system.layout, system.symmetry).representative


def _kernels(asked: Asked, stutter: bool | None) -> Kernels:
    if asked.responses or (asked.watched and (asked.fairness or stutter)):
        return "fair cycles"
    runs = asked.watched or any(query.kind not in ("always", "possibly") for query in asked.queries)
    return "cycles" if runs else "states"


def _resources(
    team: Team | None,
    limits: Limits | None,
    observer: Observer | None,
    store: StoreChoice,
    strict: bool,
    keeper: Keeper | None,
) -> Resources:
    from ouroboros.engine.team import Team

    return Resources(team or Team(), limits or Limits(), observer, store, strict, keeper)


def _attained(system: System, resources: Resources, peaks: list[int]) -> Iterable[Answer]:
    """Whether from every state a state with each predicate can be reached."""
    for first in range(0, len(system.attainable), MOST_ATOMS):
        wanted = system.attainable[first : first + MOST_ATOMS]
        found, search = attain(system, wanted, resources)
        for proposition, one in zip(wanted, found, strict=False):
            name = f"liveness {proposition.name}"
            peaks.append(one.peak_bytes)
            if one.finding is None:
                yield Answer(name, Verdict.HOLDS, search)
            else:
                trace = replay(system, one.finding, [proposition])
                yield Answer(name, Verdict.VIOLATED, search, trace.violation.message, trace)
        for proposition in wanted[len(found) :]:
            yield Answer(f"liveness {proposition.name}", Verdict.UNKNOWN, search, search.limit)


def _probed(system: System, resources: Resources, peaks: list[int]) -> Iterable[Answer]:
    """Whether some run comes to each place that is to be covered: a search for each, in a system that fails there."""
    for probe in system.probes:
        found = reach(probe.system(), (), False, True, resources)
        peaks.append(found.peak_bytes)
        name = f"cover {probe.name}"
        if found.finding:
            yield Answer(name, Verdict.HOLDS, found.search)
        elif found.search.limit:
            yield Answer(name, Verdict.UNKNOWN, found.search, found.search.limit)
        else:
            yield Answer(name, Verdict.VIOLATED, found.search, "no run comes there with its condition true")


def _report(
    system: System,
    answers: Sequence[Answer],
    resources: Resources,
    peaks: Sequence[int],
    symmetry: bool,
    covering: Search | None,
    reductions: Reductions | None = None,
) -> Report:
    team = resources.team
    covered = coverage(system, covering)
    if resources.strict and covering:
        answers = [*answers, covered_answer(covered, covering)]
    return Report(
        model=system.source,
        answers=tuple(honest(answers, resources)),
        setting=Setting(
            store=str(resources.store),
            seed=resources.store.seed,
            exchange=team.exchange,
            workers=team.size,
            symmetry=symmetry,
            reductions=tuple(sorted(reductions.used)) if reductions else (),
            reductions_off=tuple(reductions.off) if reductions else (),
        ),
        seconds=time.monotonic() - resources.limits.started,
        peak_bytes=max(peaks),
        coverage=covered,
        saving=_saving(resources.keeper) if resources.keeper else None,
        warnings=system.warnings,
    )


def _saving(keeper: Keeper) -> Saving:
    return Saving(str(keeper.directory.path), keeper.written, keeper.resumed, keeper.failure)
