"""The answers of a run: search after search, and every violation replayed before it is called one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ouroboros.checking.combinations import Combination, refuse
from ouroboros.checking.question import ASSERTIONS, Asked, ask, deadlock_name
from ouroboros.checking.searching import Found, NoRoom, Resources, find_cycle, reach
from ouroboros.checking.vacuity import vacuity_warnings
from ouroboros.checking.watched import Watched
from ouroboros.engine.limits import Limits, Observer
from ouroboros.engine.stores.choice import StoreChoice, read_store
from ouroboros.languages import GrowingModel, Model
from ouroboros.report.report import Answer, Report, Setting, Verdict
from ouroboros.report.units import plural
from ouroboros.system.model import ASSUMPTIONS, Deadlock, Proposition, System
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
    deadlock: Deadlock | Literal["off"] | None = None,
    algorithm: Algorithm | Literal["auto"] = "auto",
    order: Order | None = None,
    edges: EdgePolicy | None = None,
    store: str = "full",
    seed: int = 0,
    strict: bool = False,
    team: Team | None = None,
    limits: Limits | None = None,
    observer: Observer | None = None,
    before_search: Callable[[bool], None] | None = None,
) -> Report:
    """Check properties chosen by name, expressions that must hold in every state, and formulas of temporal logic.

    One search answers all that is asked of states, and the nearest violation ends it; each formula and each automaton
    of the model gets a search of its own, by the given algorithm or the one that suits it best. `before_search` is
    called when the question is accepted, before the engine is loaded, with whether cycles will be searched for.
    `deadlock` is what a deadlock is, if not what the model's language says.
    """
    resources = _resources(team, limits, observer, read_store(store, seed), strict)
    while True:
        try:
            return _check(
                model,
                properties,
                invariants,
                ltl,
                ltl_files,
                algorithm,
                order,
                edges,
                deadlock,
                resources,
                before_search,
            )
        except NoRoom as missing:
            _grow(model, missing)
            before_search = None


def _grow(model: Model, missing: NoRoom) -> None:
    assert isinstance(model, GrowingModel)
    model.grow((missing.site,))


def _check(
    model: Model,
    properties: Sequence[str],
    invariants: Sequence[str],
    ltl: Sequence[str],
    ltl_files: Sequence[str | Path],
    algorithm: Algorithm | Literal["auto"],
    order: Order | None,
    edges: EdgePolicy | None,
    deadlock: Deadlock | Literal["off"] | None,
    resources: Resources,
    before_search: Callable[[bool], None] | None,
) -> Report:
    asked = ask(model, properties, invariants, ltl, ltl_files, deadlocks=deadlock != "off")
    combination = Combination(
        algorithm=None if algorithm == "auto" else algorithm,
        order=order,
        edges=edges,
        store=resources.store,
        workers=resources.team.size,
        cycles=bool(asked.watched),
    )
    refuse(combination)
    if before_search:
        before_search(bool(asked.watched))
    # Reading expressions may have made it another system.
    system = model.system
    if deadlock is not None and deadlock != "off":
        system = replace(system, deadlock=deadlock)
    answers: list[Answer] = []
    peaks: list[int] = []
    required = (*system.assertions, *asked.invariants)
    # Without a choice assertions are among what is asked; a model that cannot go wrong needs no search for them.
    if asked.assertions and (required or asked.deadlock or system.covers or _can_fail(system) or not asked.watched):
        found = reach(system, required, asked.deadlock, True, resources, system.covers)
        trace = replay(system, found.finding, required) if found.finding else None
        answers += _answers(system, asked, trace, found)
        answers += _covered(system.covers, found)
        peaks.append(found.peak_bytes)
    for watched in asked.watched:
        found, product, watcher = find_cycle(system, watched, combination, resources)
        trace = replay_beside(product, watcher, found.finding) if found.finding else None
        answers.append(_watched_answer(watched, trace, found))
        peaks.append(found.peak_bytes)
    return _report(system, answers, resources, peaks)


def explore(
    model: Model,
    *,
    store: str = "full",
    seed: int = 0,
    strict: bool = False,
    team: Team | None = None,
    limits: Limits | None = None,
    observer: Observer | None = None,
    before_search: Callable[[bool], None] | None = None,
) -> Report:
    """Visit every state, whatever is wrong with it, and count."""
    resources = _resources(team, limits, observer, read_store(store, seed), strict)
    if before_search:
        before_search(False)
    while True:
        try:
            found = reach(model.system, (), False, False, resources)
            break
        except NoRoom as missing:
            _grow(model, missing)
    limit = found.search.limit
    answers = [Answer("every state is visited", Verdict.UNKNOWN if limit else Verdict.HOLDS, found.search, limit)]
    return _report(model.system, answers, resources, [found.peak_bytes])


def _honest(answers: Sequence[Answer], resources: Resources) -> list[Answer]:
    """What a missed state could have changed is unknown: strictly, and always where many are missed."""
    if resources.store.exact:
        return list(answers)
    return [_in_doubt(answer, resources) for answer in answers]


def _in_doubt(answer: Answer, resources: Resources) -> Answer:
    doubt = f"omission possible, with probability {answer.search.omission:.1e}"
    if answer.verdict is Verdict.HOLDS and resources.store.name == "bitstate":
        return replace(answer, verdict=Verdict.UNKNOWN, reason="bitstate")
    # That something is never reached is no finding, but the lack of one.
    unreached = answer.verdict is Verdict.VIOLATED and answer.trace is None
    if unreached or (answer.verdict is Verdict.HOLDS and resources.strict):
        return replace(answer, verdict=Verdict.UNKNOWN, reason=doubt)
    return answer


def _can_fail(system: System) -> bool:
    return any(failure.kind != "overflow" and failure.kind not in ASSUMPTIONS for failure in system.failures)


def _resources(
    team: Team | None, limits: Limits | None, observer: Observer | None, store: StoreChoice, strict: bool
) -> Resources:
    from ouroboros.engine.team import Team

    return Resources(team or Team(), limits or Limits(), observer, store, strict)


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


def _report(system: System, answers: Sequence[Answer], resources: Resources, peaks: Sequence[int]) -> Report:
    team = resources.team
    return Report(
        model=system.source,
        answers=tuple(_honest(answers, resources)),
        setting=Setting(
            store=str(resources.store), seed=resources.store.seed, exchange=team.exchange, workers=team.size
        ),
        seconds=time.monotonic() - resources.limits.started,
        peak_bytes=max(peaks),
    )
