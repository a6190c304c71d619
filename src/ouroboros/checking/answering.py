"""The answers of a run: search after search, and every violation replayed before it is called one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ouroboros.checking.combinations import Combination, refuse
from ouroboros.checking.fairness import NOTHING_SAID, FairnessOptions
from ouroboros.checking.question import ASSERTIONS, Asked, ask, deadlock_name
from ouroboros.checking.searching import Found, NoRoom, Resources, find_cycle, find_unanswered, reach
from ouroboros.checking.vacuity import vacuity_warnings
from ouroboros.checking.watched import Response, Watched
from ouroboros.engine.limits import Limits, Observer
from ouroboros.engine.stores.choice import read_store
from ouroboros.languages import GrowingModel, Model
from ouroboros.report.report import Answer, Report, Setting, Verdict
from ouroboros.report.units import plural
from ouroboros.system.fairness import Strength, described
from ouroboros.system.model import ASSUMPTIONS, Deadlock, Proposition, System
from ouroboros.trace.fair import ALL_RUNS, FairRuns, replay_response
from ouroboros.trace.lasso import replay_beside
from ouroboros.trace.replay import replay
from ouroboros.trace.trace import Trace

if TYPE_CHECKING:
    from ouroboros.engine.team import Team
    from ouroboros.search.accepting import Algorithm
    from ouroboros.search.graph_search import EdgePolicy
    from ouroboros.search.product_search import Order

Kernels = Literal["states", "cycles", "fair cycles"]
"""Which searches are made; the kernels of each kind are compiled when it is first used."""

ENDED_EARLY = "the search ended at another violation"


def check(
    model: Model,
    *,
    properties: Sequence[str] = (),
    invariants: Sequence[str] = (),
    ltl: Sequence[str] = (),
    ltl_files: Sequence[str | Path] = (),
    deadlock: Deadlock | Literal["off"] | None = None,
    algorithm: Algorithm | Literal["auto"] = "auto",
    order: Order | None = None,
    edges: EdgePolicy | None = None,
    responses: Sequence[str] = (),
    fairness: Strength | None = None,
    weak: Sequence[str] = (),
    strong: Sequence[str] = (),
    stutter: bool | None = None,
    store: str = "full",
    team: Team | None = None,
    limits: Limits | None = None,
    observer: Observer | None = None,
    before_search: Callable[[Kernels], None] | None = None,
) -> Report:
    """Check properties chosen by name, expressions that must hold in every state, and formulas of temporal logic.

    One search answers all that is asked of states, and the nearest violation ends it; each formula and each automaton
    of the model gets a search of its own, by the given algorithm or the one that suits it best. `before_search` is
    called when the question is accepted, before the engine is loaded, with the kinds of kernels that will be needed.
    `deadlock` is what a deadlock is, if not what the model's language says.

    Formulas, automata and `responses`, which are written `p ~> q`, speak of the runs that are fair: to all processes or
    actions with `fairness`, to those whose names match the patterns `weak` or `strong`, and to those that the model
    makes fair. With `stutter`, a run may stay in a state for ever; that is so for responses unless it is False.
    """
    said = FairnessOptions(fairness, tuple(weak), tuple(strong))
    resources = _resources(team, limits, observer, store)
    while True:
        try:
            asked = ask(model, properties, invariants, ltl, ltl_files, responses, said, deadlock != "off")
            combination = Combination(
                algorithm=None if algorithm == "auto" else algorithm,
                order=order,
                edges=edges,
                store=resources.store,
                workers=resources.team.size,
                cycles=bool(asked.watched),
                responses=bool(asked.responses),
                fair=bool(asked.fairness),
                fairness_asked=said != NOTHING_SAID,
                stutter=stutter,
            )
            return _check(model, asked, combination, deadlock, resources, before_search)
        except NoRoom as missing:
            _grow(model, missing)
            before_search = None


def _grow(model: Model, missing: NoRoom) -> None:
    assert isinstance(model, GrowingModel)
    model.grow((missing.site,))


def _check(
    model: Model,
    asked: Asked,
    combination: Combination,
    deadlock: Deadlock | Literal["off"] | None,
    resources: Resources,
    before_search: Callable[[Kernels], None] | None,
) -> Report:
    refuse(combination)
    if before_search:
        before_search(_kernels(asked, combination.stutter))
    # Reading expressions may have made it another system.
    system = model.system
    if deadlock is not None and deadlock != "off":
        system = replace(system, deadlock=deadlock)
    answers: list[Answer] = []
    peaks: list[int] = []
    required = (*system.assertions, *asked.invariants)
    # Without a choice assertions are among what is asked; a model that cannot go wrong needs no search for them.
    if asked.assertions and (
        required or asked.deadlock or system.covers or _can_fail(system) or not (asked.watched or asked.responses)
    ):
        found = reach(system, required, asked.deadlock, True, resources, system.covers)
        trace = replay(system, found.finding, required) if found.finding else None
        answers += _answers(system, asked, trace, found)
        answers += _covered(system.covers, found)
        peaks.append(found.peak_bytes)
    for watched in asked.watched:
        fair = FairRuns(asked.fairness, bool(combination.stutter))
        found, product, watcher = find_cycle(system, watched, fair, combination, resources)
        trace = replay_beside(product, watcher, found.finding, fair) if found.finding else None
        answers.append(_watched_answer(watched, fair, trace, found))
        peaks.append(found.peak_bytes)
    for response in asked.responses:
        stutters = response.stutters if combination.stutter is None else combination.stutter
        fair = FairRuns(asked.fairness, stutters)
        found = find_unanswered(system, response, fair, combination, resources)
        trace = replay_response(system, response.p, response.q, found.finding, fair) if found.finding else None
        answers.append(_response_answer(response, fair, trace, found))
        peaks.append(found.peak_bytes)
    return _report(system, answers, resources, peaks)


def explore(
    model: Model,
    *,
    store: str = "full",
    team: Team | None = None,
    limits: Limits | None = None,
    observer: Observer | None = None,
    before_search: Callable[[Kernels], None] | None = None,
) -> Report:
    """Visit every state, whatever is wrong with it, and count."""
    resources = _resources(team, limits, observer, store)
    if before_search:
        before_search("states")
    while True:
        try:
            found = reach(model.system, (), False, False, resources)
            break
        except NoRoom as missing:
            _grow(model, missing)
    limit = found.search.limit
    answer = Answer("every state is visited", Verdict.UNKNOWN if limit else Verdict.HOLDS, found.search, limit)
    return _report(model.system, [answer], resources, [found.peak_bytes])


def _kernels(asked: Asked, stutter: bool | None) -> Kernels:
    if asked.responses or (asked.watched and (asked.fairness or stutter)):
        return "fair cycles"
    return "cycles" if asked.watched else "states"


def _can_fail(system: System) -> bool:
    return any(failure.kind != "overflow" and failure.kind not in ASSUMPTIONS for failure in system.failures)


def _resources(team: Team | None, limits: Limits | None, observer: Observer | None, store: str) -> Resources:
    from ouroboros.engine.team import Team

    return Resources(team or Team(), limits or Limits(), observer, read_store(store))


def _answers(system: System, asked: Asked, trace: Trace | None, found: Found) -> Iterable[Answer]:
    """What one search of the states says of each of their properties."""
    ends = deadlock_name(system)
    violated = _violated_property(asked, trace, ends) if trace else None
    for name in [ASSERTIONS, *([ends] if asked.deadlock else []), *(item.name for item in asked.invariants)]:
        if trace and name == violated:
            yield Answer(name, Verdict.VIOLATED, found.search, trace.violation.message, trace)
        elif trace or found.search.limit:
            yield Answer(name, Verdict.UNKNOWN, found.search, found.search.limit or ENDED_EARLY)
        else:
            yield Answer(name, Verdict.HOLDS, found.search)


def _covered(covers: Sequence[Proposition], found: Found) -> Iterable[Answer]:
    """Whether each predicate was true somewhere; only a complete search can say that one never is."""
    for bit, cover in enumerate(covers, 1):
        name = f"cover {cover.name}"
        if found.search.statistics.seen_true >> bit & 1:
            yield Answer(name, Verdict.HOLDS, found.search)
        elif found.search.complete:
            yield Answer(name, Verdict.VIOLATED, found.search, "it is true in no reachable state")
        else:
            yield Answer(name, Verdict.UNKNOWN, found.search, found.search.limit or ENDED_EARLY)


def _violated_property(asked: Asked, trace: Trace, ends: str) -> str:
    violation = trace.violation
    if violation.kind in ("deadlock", "overflow"):
        return ends
    for invariant in asked.invariants:
        if violation.proposition is invariant:
            return invariant.name
    return ASSERTIONS


def _watched_answer(watched: Watched, fair: FairRuns, trace: Trace | None, found: Found) -> Answer:
    formula = str(watched.formula) if watched.formula else None
    runs = _runs(fair) if fair != ALL_RUNS else None
    answer = Answer(watched.name, Verdict.HOLDS, found.search, automaton=watched.automaton, formula=formula, runs=runs)
    statistics = found.search.statistics
    return _judged(answer, trace, found, vacuity_warnings(watched, statistics.seen_true, statistics.seen_false))


def _response_answer(response: Response, fair: FairRuns, trace: Trace | None, found: Found) -> Answer:
    formula = str(response.formula) if response.formula else None
    answer = Answer(response.name, Verdict.HOLDS, found.search, formula=formula, runs=_runs(fair))
    numbers = found.search.statistics.fair
    vacuous = numbers and numbers.start_states == 0
    warnings = [f"it holds vacuously: in no state `{response.p.name}` holds and `{response.q.name}` does not"]
    return _judged(answer, trace, found, warnings if vacuous else ())


def _runs(fair: FairRuns) -> str:
    return f"{described(fair.fairness)}, {'with' if fair.stutters else 'without'} stuttering"


def _judged(answer: Answer, trace: Trace | None, found: Found, warnings: Iterable[str]) -> Answer:
    """The answer for a property of infinite runs; the warnings are for one that holds."""
    if trace:
        return replace(answer, verdict=Verdict.VIOLATED, reason=trace.violation.message, trace=trace)
    if found.search.limit:
        return replace(answer, verdict=Verdict.UNKNOWN, reason=found.search.limit)
    overflows = found.search.statistics.overflows
    warning = (
        f"a variable overflows in {plural(overflows, 'step')} of the product; runs end there, and"
        " nothing is said of them: `--property deadlock` shows one, `--overflow wrap` goes on"
    )
    return replace(answer, warnings=(*warnings, *([warning] if overflows else [])))


def _report(system: System, answers: Sequence[Answer], resources: Resources, peaks: Sequence[int]) -> Report:
    team = resources.team
    return Report(
        model=system.source,
        answers=tuple(answers),
        setting=Setting(store=str(resources.store), exchange=team.exchange, workers=team.size),
        seconds=time.monotonic() - resources.limits.started,
        peak_bytes=max(peaks),
    )
