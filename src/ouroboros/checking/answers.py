"""What a search says of each property that was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ouroboros.checking.question import ASSERTIONS, Asked, deadlock_name
from ouroboros.checking.searching import Found, Resources
from ouroboros.checking.vacuity import vacuity_warnings
from ouroboros.checking.watched import Response, Watched
from ouroboros.report.units import plural
from ouroboros.system.fairness import described
from ouroboros.system.model import Proposition, System
from ouroboros.trace.fair import ALL_RUNS, FairRuns
from ouroboros.verdict.report import Answer, Verdict
from ouroboros.verdict.trace import Trace

ENDED_EARLY = "the search ended at another violation"
COLLIDED = (
    "there is a fair cycle among hashes, but states with the same hash were taken for one on it: use more bits, another"
    " --seed, or an exact store"
)


def state_answers(system: System, asked: Asked, traces: Sequence[Trace], found: Found) -> Iterable[Answer]:
    """What one search of the states says of each of their properties; the nearest violations come first."""
    ends = deadlock_name(system)
    groups = asked.groups(system)
    violated: dict[str, Trace] = {}
    for trace in traces:
        violated.setdefault(_violated_property(groups, trace, ends), trace)
    for name in dict.fromkeys([ASSERTIONS, *([ends] if asked.deadlock else []), *(name for name, _ in groups)]):
        if name in violated:
            trace = violated[name]
            yield Answer(name, Verdict.VIOLATED, found.search, trace.violation.message, trace)
        elif found.search.limit or not found.search.complete:
            yield Answer(name, Verdict.UNKNOWN, found.search, found.search.limit or ENDED_EARLY)
        else:
            yield Answer(name, Verdict.HOLDS, found.search)


def cover_answers(covers: Sequence[Proposition], found: Found) -> Iterable[Answer]:
    """Whether each predicate was true somewhere; only a complete search can say that one never is."""
    for bit, cover in enumerate(covers, 1):
        name = f"cover {cover.name}"
        if found.search.statistics.seen_true >> bit & 1:
            yield Answer(name, Verdict.HOLDS, found.search)
        elif found.search.complete:
            yield Answer(name, Verdict.VIOLATED, found.search, "it is true in no reachable state")
        else:
            yield Answer(name, Verdict.UNKNOWN, found.search, found.search.limit or ENDED_EARLY)


def watched_answer(watched: Watched, fair: FairRuns, trace: Trace | None, found: Found) -> Answer:
    formula = str(watched.formula) if watched.formula else None
    runs = _runs(fair) if fair != ALL_RUNS else None
    answer = Answer(watched.name, Verdict.HOLDS, found.search, automaton=watched.automaton, formula=formula, runs=runs)
    statistics = found.search.statistics
    return _judged(answer, trace, found, vacuity_warnings(watched, statistics.seen_true, statistics.seen_false))


def response_answer(response: Response, fair: FairRuns, trace: Trace | None, found: Found) -> Answer:
    formula = str(response.formula) if response.formula else None
    answer = Answer(response.name, Verdict.HOLDS, found.search, formula=formula, runs=_runs(fair))
    numbers = found.search.statistics.fair
    vacuous = numbers and numbers.start_states == 0
    warnings = [f"it holds vacuously: in no state `{response.p.name}` holds and `{response.q.name}` does not"]
    return _judged(answer, trace, found, warnings if vacuous else ())


def honest(answers: Sequence[Answer], resources: Resources) -> list[Answer]:
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


def _violated_property(groups: Sequence[tuple[str, Sequence[Proposition]]], trace: Trace, ends: str) -> str:
    violation = trace.violation
    if violation.kind in ("deadlock", "overflow"):
        return ends
    for name, group in groups:
        if any(violation.proposition is each for each in group):
            return name
    return ASSERTIONS


def _runs(fair: FairRuns) -> str:
    return f"{described(fair.fairness)}, {'with' if fair.stutters else 'without'} stuttering"


def _judged(answer: Answer, trace: Trace | None, found: Found, warnings: Iterable[str]) -> Answer:
    """The answer for a property of infinite runs; the warnings are for one that holds."""
    if trace:
        return replace(answer, verdict=Verdict.VIOLATED, reason=trace.violation.message, trace=trace)
    if found.search.limit:
        return replace(answer, verdict=Verdict.UNKNOWN, reason=found.search.limit)
    if found.collided:
        return replace(answer, verdict=Verdict.UNKNOWN, reason=COLLIDED)
    overflows = found.search.statistics.overflows
    warning = (
        f"a variable overflows in {plural(overflows, 'step')} of the product; runs end there, and"
        " nothing is said of them: `--property deadlock` shows one, `--overflow wrap` goes on"
    )
    return replace(answer, warnings=(*warnings, *([warning] if overflows else [])))
