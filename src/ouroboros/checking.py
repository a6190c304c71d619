"""From a model and a question to a report: chooses the properties, runs the search, replays what it finds."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ouroboros.engine.limits import Limits, Observer
from ouroboros.errors import UsageError
from ouroboros.languages import Model
from ouroboros.report.process import peak_memory
from ouroboros.report.report import Answer, Report, Setting, Verdict
from ouroboros.search.outcome import Outcome
from ouroboros.source import Source
from ouroboros.system.expressions import TRUE, Binary, Expression
from ouroboros.system.model import Proposition, System
from ouroboros.trace.replay import replay
from ouroboros.trace.trace import Trace

if TYPE_CHECKING:
    from ouroboros.engine.exchange.base import Exchange
    from ouroboros.engine.memory import Budget
    from ouroboros.engine.team import Team

ASSERTIONS = "assertions"
"""No assertion fails, and nothing else goes wrong: no index out of range, no division by zero."""
DEADLOCK = "deadlock"
"""Some step is always possible."""

AUTOMATA_NOT_CHECKED = "property automata are not checked yet"
ENDED_EARLY = "the search ended at another violation"


@dataclass(frozen=True)
class Asked:
    """The properties of a run. Assertions are always among them: a model that goes wrong has no other properties."""

    deadlock: bool = False
    automata: tuple[str, ...] = ()
    invariants: tuple[Proposition, ...] = ()


def property_names(system: System) -> list[str]:
    """What `--property` can choose."""
    return [ASSERTIONS, DEADLOCK, *(automaton.name for automaton in system.automata)]


def ask(model: Model, properties: Sequence[str] = (), invariants: Sequence[str] = ()) -> Asked:
    """Resolve what the user chose; without a choice, what the model asks for: its automata, else no deadlock."""
    known = property_names(model.system)
    for name in properties:
        if name not in known:
            raise UsageError(
                f"{model.system.source.name} has no property {name}: choose from {', '.join(known)},"
                " or give a state predicate with --invariant"
            )
    if not properties and not invariants:
        properties = known[2:] or [DEADLOCK]
    return Asked(
        deadlock=DEADLOCK in properties,
        automata=tuple(name for name in known[2:] if name in properties),
        invariants=tuple(model.proposition(Source("--invariant", text)) for text in dict.fromkeys(invariants)),
    )


def check(
    model: Model,
    *,
    properties: Sequence[str] = (),
    invariants: Sequence[str] = (),
    team: Team | None = None,
    limits: Limits | None = None,
    observer: Observer | None = None,
    before_search: Callable[[], None] | None = None,
) -> Report:
    """Check properties chosen by name and expressions that must hold in every state.

    One search answers all; the nearest violation ends it. `before_search` is called when the question is accepted,
    before the engine is loaded.
    """
    asked = ask(model, properties, invariants)
    if before_search:
        before_search()
    limits = limits or Limits()
    required = (*model.system.assertions, *asked.invariants)
    run = _search(model.system, required, asked.deadlock, True, team, limits, observer)
    finding = run.outcome.finding
    trace = replay(model.system, finding, required) if finding else None
    return _report(model.system, run, limits, _answers(asked, trace, run.outcome))


def explore(
    model: Model,
    *,
    team: Team | None = None,
    limits: Limits | None = None,
    observer: Observer | None = None,
    before_search: Callable[[], None] | None = None,
) -> Report:
    """Visit every state, whatever is wrong with it, and count."""
    if before_search:
        before_search()
    limits = limits or Limits()
    run = _search(model.system, (), False, False, team, limits, observer)
    limit = run.outcome.limit
    answer = Answer("every state is visited", Verdict.UNKNOWN if limit else Verdict.HOLDS, limit)
    return _report(model.system, run, limits, (answer,))


@dataclass(frozen=True)
class _Run:
    outcome: Outcome
    setting: Setting
    peak_bytes: int


def _search(
    system: System,
    required: Sequence[Proposition],
    deadlock: bool,
    failure: bool,
    team: Team | None,
    limits: Limits,
    observer: Observer | None,
) -> _Run:
    # Importing these compiles the engine's kernels where that was never done: not before the input is known to be good.
    import numpy as np

    from ouroboros.engine.team import Team
    from ouroboros.native import compile_system
    from ouroboros.search.reachability import Question, reachability

    team = team or Team()
    # One bit for all that is required, for a valuation has few; replaying tells which of them is false.
    together = [Proposition("required", _all_of([proposition.expression for proposition in required]))]
    program = compile_system(system, together if required else [])
    question = Question(required=1 if required else 0, deadlock=deadlock, failure=failure)

    def work(exchange: Exchange, budget: Budget) -> tuple[Outcome, int]:
        outcome = reachability(system, program, question, limits, exchange, budget, observer)
        # Threads share their memory, ranks do not.
        own = peak_memory() if team.exchange == "mpi" or exchange.rank == 0 else 0
        return outcome, int(exchange.total(np.array([own], np.int64))[0])

    outcome, peak_bytes = team.run(work, limits.memory)
    setting = Setting(algorithm="reachability", store="full", exchange=team.exchange, workers=team.size)
    return _Run(outcome, setting, peak_bytes)


def _all_of(expressions: Sequence[Expression]) -> Expression:
    """Their conjunction, as a balanced tree: thousands of assertions must not nest thousands deep."""
    if len(expressions) < 2:
        return expressions[0] if expressions else TRUE
    half = len(expressions) // 2
    return Binary("and", _all_of(expressions[:half]), _all_of(expressions[half:]))


def _answers(asked: Asked, trace: Trace | None, outcome: Outcome) -> tuple[Answer, ...]:
    violated = _violated_property(asked, trace) if trace else None
    names = [ASSERTIONS, *([DEADLOCK] if asked.deadlock else []), *(item.name for item in asked.invariants)]
    answers = []
    for name in names:
        if trace and name == violated:
            answers.append(Answer(name, Verdict.VIOLATED, trace.violation.message, trace))
        elif trace or outcome.limit:
            answers.append(Answer(name, Verdict.UNKNOWN, outcome.limit or ENDED_EARLY))
        else:
            answers.append(Answer(name, Verdict.HOLDS))
    answers += [Answer(name, Verdict.UNKNOWN, outcome.limit or AUTOMATA_NOT_CHECKED) for name in asked.automata]
    return tuple(answers)


def _violated_property(asked: Asked, trace: Trace) -> str:
    violation = trace.violation
    if violation.kind == "deadlock":
        return DEADLOCK
    for invariant in asked.invariants:
        if violation.proposition is invariant:
            return invariant.name
    return ASSERTIONS


def _report(system: System, run: _Run, limits: Limits, answers: tuple[Answer, ...]) -> Report:
    return Report(
        model=system.source,
        answers=answers,
        statistics=run.outcome.statistics,
        setting=run.setting,
        limit=run.outcome.limit,
        seconds=time.monotonic() - limits.started,
        peak_bytes=run.peak_bytes,
    )
