"""The answers of a run: search after search, and every violation replayed before it is called one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ouroboros.checking.combinations import Combination, refuse
from ouroboros.checking.fairness import under_fairness
from ouroboros.checking.question import ASSERTIONS, Asked, ask, deadlock_name
from ouroboros.checking.reducing import reduced_for_runs, reduced_for_states
from ouroboros.checking.searching import Found, NoRoom, Resources, find_cycle, reach
from ouroboros.checking.vacuity import vacuity_warnings
from ouroboros.checking.watched import Watched
from ouroboros.engine.limits import Limits, Observer
from ouroboros.engine.stores.choice import read_store
from ouroboros.errors import UsageError
from ouroboros.languages import FairModel, GrowingModel, Model
from ouroboros.report.report import Answer, Report, Setting, Verdict
from ouroboros.report.units import plural
from ouroboros.system.model import Proposition, System
from ouroboros.trace.lasso import replay_beside
from ouroboros.trace.replay import replay
from ouroboros.trace.trace import Trace

if TYPE_CHECKING:
    from ouroboros.engine.team import Team
    from ouroboros.search.accepting import Algorithm
    from ouroboros.search.graph_search import EdgePolicy
    from ouroboros.search.product_search import Order

ENDED_EARLY = "the search ended at another violation"


def check(
    model: Model,
    *,
    properties: Sequence[str] = (),
    invariants: Sequence[str] = (),
    ltl: Sequence[str] = (),
    ltl_files: Sequence[str | Path] = (),
    algorithm: Algorithm | Literal["auto"] = "auto",
    order: Order | None = None,
    edges: EdgePolicy | None = None,
    safety: bool = False,
    reduction: bool = True,
    fairness: Literal["weak"] | None = None,
    store: str = "full",
    team: Team | None = None,
    limits: Limits | None = None,
    observer: Observer | None = None,
    before_search: Callable[[bool], None] | None = None,
) -> Report:
    """Check properties chosen by name, expressions that must hold in every state, and formulas of temporal logic.

    One search answers all that is asked of states, and the nearest violation ends it; each formula and each automaton
    of the model gets a search of its own, by the given algorithm or the one that suits it best. `before_search` is
    called when the question is accepted, before the engine is loaded, with whether cycles will be searched for.
    """
    resources = _resources(team, limits, observer, store)
    if safety:
        if properties or ltl or ltl_files:
            raise UsageError("--safety chooses the properties: leave out --property and --ltl")
        properties = (ASSERTIONS, deadlock_name(model.system))
    while True:
        try:
            conditions = _fairness_conditions(model) if fairness else ()
            asked = ask(model, properties, invariants, ltl, ltl_files)
            if conditions:
                asked = replace(asked, watched=tuple(under_fairness(each, conditions) for each in asked.watched))
            combination = Combination(
                algorithm=None if algorithm == "auto" else algorithm,
                order=order,
                edges=edges,
                store=resources.store,
                workers=resources.team.size,
                cycles=bool(asked.watched),
                fairness=fairness,
            )
            return _check(model, asked, combination, resources, before_search, reduction)
        except NoRoom as missing:
            _grow(model, missing)
            before_search = None


def _grow(model: Model, missing: NoRoom) -> None:
    assert isinstance(model, GrowingModel)
    model.grow((missing.site,))


def _fairness_conditions(model: Model) -> tuple[Proposition, ...]:
    if not isinstance(model, FairModel):
        raise UsageError(f"--fairness is about processes of Promela models: {model.system.source.name} is none")
    return model.fair()


def _check(
    model: Model,
    asked: Asked,
    combination: Combination,
    resources: Resources,
    before_search: Callable[[bool], None] | None,
    reduction: bool,
) -> Report:
    refuse(combination)
    if before_search:
        before_search(bool(asked.watched))
    # Reading expressions may have made it another system.
    system = model.system
    answers: list[Answer] = []
    peaks: list[int] = []
    reduced = False
    required = (*system.assertions, *asked.invariants)
    # Without a choice assertions are among what is asked; a model that cannot go wrong needs no search for them.
    if asked.assertions and (required or asked.deadlock or _can_fail(system) or not asked.watched):
        smaller = reduced_for_states(system, required) if reduction else system
        reduced = reduced or smaller is not system
        found = reach(smaller, required, asked.deadlock, True, resources)
        trace = replay(system, found.finding, required) if found.finding else None
        answers += _answers(system, asked, trace, found)
        peaks.append(found.peak_bytes)
    for watched in asked.watched:
        smaller = reduced_for_runs(system, watched) if reduction else system
        reduced = reduced or smaller is not system
        found, product, watcher = find_cycle(smaller, watched, combination, resources)
        # Whatever was left out of the search, the run must be one of the whole system.
        product = replace(product, choices=system.choices)
        trace = replay_beside(product, watcher, found.finding) if found.finding else None
        answers.append(_watched_answer(watched, trace, found))
        peaks.append(found.peak_bytes)
    return _report(system, answers, resources, peaks, reduced)


def explore(
    model: Model,
    *,
    store: str = "full",
    team: Team | None = None,
    limits: Limits | None = None,
    observer: Observer | None = None,
    before_search: Callable[[bool], None] | None = None,
) -> Report:
    """Visit every state, whatever is wrong with it, and count."""
    resources = _resources(team, limits, observer, store)
    if before_search:
        before_search(False)
    while True:
        try:
            found = reach(model.system, (), False, False, resources)
            break
        except NoRoom as missing:
            _grow(model, missing)
    limit = found.search.limit
    answer = Answer("every state is visited", Verdict.UNKNOWN if limit else Verdict.HOLDS, found.search, limit)
    return _report(model.system, [answer], resources, [found.peak_bytes])


def _can_fail(system: System) -> bool:
    return any(failure.kind != "overflow" for failure in system.failures)


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


def _violated_property(asked: Asked, trace: Trace, ends: str) -> str:
    violation = trace.violation
    if violation.kind in ("deadlock", "overflow"):
        return ends
    for invariant in asked.invariants:
        if violation.proposition is invariant:
            return invariant.name
    return ASSERTIONS


def _watched_answer(watched: Watched, trace: Trace | None, found: Found) -> Answer:
    formula = str(watched.formula) if watched.formula else None
    answer = Answer(watched.name, Verdict.HOLDS, found.search, automaton=watched.automaton, formula=formula)
    if trace:
        return replace(answer, verdict=Verdict.VIOLATED, reason=trace.violation.message, trace=trace)
    if found.search.limit:
        return replace(answer, verdict=Verdict.UNKNOWN, reason=found.search.limit)
    statistics = found.search.statistics
    warnings = [*vacuity_warnings(watched, statistics.seen_true, statistics.seen_false)]
    if statistics.overflows:
        warnings.append(
            f"a variable overflows in {plural(statistics.overflows, 'step')} of the product; runs end there, and"
            " nothing is said of them: `--property deadlock` shows one, `--overflow wrap` goes on"
        )
    return replace(answer, warnings=tuple(warnings))


def _report(
    system: System, answers: Sequence[Answer], resources: Resources, peaks: Sequence[int], reduced: bool = False
) -> Report:
    team = resources.team
    return Report(
        model=system.source,
        answers=tuple(answers),
        setting=Setting(store=str(resources.store), exchange=team.exchange, workers=team.size, reduced=reduced),
        seconds=time.monotonic() - resources.limits.started,
        peak_bytes=max(peaks),
    )
