"""One search, from a system to what was found: compiled, run by the whole team, with the numbers for the report."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from ouroboros.driver.stages import COMPILING, SAMPLING
from ouroboros.errors import SelfCheckError
from ouroboros.process import copied_memory, library_memory, peak_memory
from ouroboros.system.expressions import TRUE, Binary, Expression
from ouroboros.system.layout import Vector
from ouroboros.system.model import Proposition, System
from ouroboros.verdict.outcome import Finding, LimitName, Outcome
from ouroboros.verdict.report import Search
from ouroboros.verdict.trace import Violation

if TYPE_CHECKING:
    from ouroboros.checkpoint.keeper import Keeper
    from ouroboros.engine.exchange.base import Exchange
    from ouroboros.engine.limits import Limits, Observer
    from ouroboros.engine.stores.choice import StoreChoice
    from ouroboros.engine.team import Team
    from ouroboros.memory import Budget
    from ouroboros.native import Program
    from ouroboros.reduce.stubborn import StubbornTables
    from ouroboros.search.evidence import Evidence
    from ouroboros.search.worker import Worker

    Work: TypeAlias = Callable[[Worker], Outcome]
    """A search, as each worker makes its part of it."""

# Importing the engine and the searches compiles their kernels where that was never done. So they are imported inside of
# functions: not before the input is known to be good.


@dataclass(frozen=True)
class Resources:
    """Who searches, within which limits, and who looks on."""

    team: Team
    limits: Limits
    store: StoreChoice
    observer: Observer | None = None
    strict: bool = False
    """Whether what holds unless a state was missed is unknown."""
    keeper: Keeper | None = None
    """Who saves the searches now and then, if that was asked for."""
    peaks: list[int] = field(default_factory=list)
    """The most memory that each search had, over all workers."""


class Found(NamedTuple):
    finding: Finding | None
    search: Search
    evidence_limit: LimitName | None = None
    """The limit for which the states were not handed over, though nothing was found."""
    collided: bool = False
    """Whether what was found exists among hashes only."""
    findings: tuple[Finding, ...] = ()
    """All violations, where a search goes on after the first; the nearest comes first."""


class NoRoom(Exception):
    """The layout is too small for what a step creates."""

    def __init__(self, site: int) -> None:
        super().__init__(site)
        self.site = site


class Sought(NamedTuple):
    """What a search of the states is to find."""

    required: Sequence[Sequence[Proposition]] = ()
    """What must hold in every state, in groups that are told apart."""
    deadlock: bool = False
    failure: bool = False
    covers: Sequence[Proposition] = ()
    """Of which it must be known whether they are true anywhere."""
    first: bool = True
    """Whether the first violation ends the search. Else it goes on until there is one of each group and kind."""
    violations: int = 1
    """With more than one, it goes on until all states are known, and has so many of each group and kind."""
    inclusion: bool = False
    """Whether a state is left out whose zone is inside of that of another one."""


def reach(
    system: System,
    sought: Sought,
    resources: Resources,
    symmetry: bool = False,
    evidence: Evidence | None = None,
    stubborn: StubbornTables | None = None,
    sampled: Callable[[StubbornTables, bool], None] = lambda *_: None,
) -> Found:
    """Look for a state that is not as required; the statistics say which covers were true: cover i in bit i + 1.
    If leaving out steps is not worth the time, none is; `sampled` is told so, or that it is.

    If nothing is found, the evidence gets all states.
    """
    from ouroboros.graph.base import SystemGraph
    from ouroboros.graph.protocol import Graph
    from ouroboros.native import compile_system
    from ouroboros.search.matters import Further, Question
    from ouroboros.search.reachability import reachability
    from ouroboros.trace.replay import failing_steps

    required, deadlock, failure, covers, first, violations, inclusion = sought
    if inclusion:
        resources = replace(resources, store=replace(resources.store, covering=True))
    # A bit for each group, for a valuation has few; replaying tells which proposition is false.
    together = [Proposition("required", _all_of([each.expression for each in group])) for group in required]
    ending = [] if system.valid_end is None else [Proposition("may end", system.valid_end)]
    propositions = [*together, *covers, *ending]
    with resources.limits.stage(COMPILING):
        program = compile_system(system, propositions, stubborn)
    spent = 0.0, 0.0
    if stubborn and not stubborn.pays:
        started = time.perf_counter(), time.thread_time()
        with resources.limits.stage(SAMPLING):
            pays = _pays(system, program, stubborn)
        spent = time.perf_counter() - started[0], time.thread_time() - started[1]
        sampled(stubborn, pays)
        if not pays:
            stubborn = None
            program = program.unreduced
    mask = (1 << len(required)) - 1
    ending_bit = 1 << len(required) + len(covers) if ending else 0

    def what(kind: Literal["failure", "overflow"], state: Vector) -> Violation:
        return failing_steps(system, state, kind)[1]

    def further() -> Further:
        return Further(violations, SystemGraph(system, program.unreduced, mask, ending_bit), what)

    question = Question(
        deadlock=deadlock,
        failure=failure,
        assertion=failure,
        watched=bool(covers),
        groups=len(required),
        first=first,
        further=further() if violations > 1 else None,
    )
    reviewed = stubborn is not None and stubborn.wanted != 0

    def work(worker: Worker) -> Outcome:
        base = SystemGraph(system, program, mask, ending_bit, bool(covers), reviewed)
        if inclusion and system.zone:
            # What may be compared has the same owner.
            base.owning_words = system.layout.placements[system.zone].word
        graph: Graph = base
        if symmetry and system.symmetry:
            # Its kernel is compiled when it is first needed.
            from ouroboros.graph.canonical import Canonicaliser
            from ouroboros.graph.symmetric import SymmetricGraph

            graph = SymmetricGraph(base, Canonicaliser(system.layout, system.symmetry))
        return reachability(graph, question, worker, evidence, base if reviewed else None)

    identity = f"{stubborn_identity(stubborn)}{len(required)}{first}{violations}"
    found = run_search(Task("reachability", system, identity=identity, again=evidence is not None), work, resources)
    statistics = found.search.statistics
    statistics = replace(
        statistics,
        seen_true=statistics.seen_true >> len(required) << 1,
        seconds=statistics.seconds + spent[0],
        cpu_seconds=statistics.cpu_seconds + spent[1],
    )
    complete = found.search.complete
    if stubborn and not resources.store.exact and found.finding and statistics.failures + statistics.overflows:
        # What was left out without a review may be all that is possible beside a step that fails.
        complete = False
    return found._replace(search=replace(found.search, statistics=statistics, complete=complete))


def apart(required: Iterable[Sequence[Proposition]], covers: int) -> list[Sequence[Proposition]]:
    """As many groups as can be told apart beside so many covers: the last ones are one."""
    from ouroboros.graph.notes import MOST_APART
    from ouroboros.native import MOST_PROPOSITIONS

    most = min(MOST_APART, MOST_PROPOSITIONS - covers - 1)
    groups = [group for group in required if group]
    if len(groups) <= most:
        return groups
    return [*groups[: most - 1], [each for group in groups[most - 1 :] for each in group]]


class Task(NamedTuple):
    """What a search is known by: to the report, and to a checkpoint that has its outcome."""

    algorithm: str
    system: System
    reason: str | None = None
    """Why it is this algorithm, where there are several."""
    identity: str = ""
    """Of what is searched for."""
    again: bool = False
    """Whether it is to be made in any case, for the outcome alone is not enough."""


def run_search(task: Task, work: Work, resources: Resources) -> Found:
    """Search with the whole team, unless a checkpoint has the outcome."""
    return run_for_outcome(task, work, resources)[1]


def run_for_outcome(task: Task, work: Work, resources: Resources) -> tuple[Outcome, Found]:
    algorithm, system, reason, identity, again = task
    keeper = resources.keeper
    if keeper is None:
        outcome, peak_bytes = _work(work, resources)
    else:
        from ouroboros.search.outcome_data import outcome_data, outcome_from

        searched = sha256(repr((system.layout, system.initial, algorithm, identity)).encode()).hexdigest()
        finished = keeper.begin(algorithm, reason, searched, again)
        if finished:
            outcome, peak_bytes, reason = outcome_from(finished), finished["peak_bytes"], finished["choice"]
        else:
            outcome, peak_bytes = _work(work, resources)
            if outcome.limit is None and not (outcome.finding and outcome.finding.site is not None):
                keeper.finish({**outcome_data(outcome), "peak_bytes": peak_bytes}, resources.team.leads)
    resources.peaks.append(peak_bytes)
    if outcome.finding and outcome.finding.site is not None:
        raise NoRoom(outcome.finding.site)
    search = Search(
        algorithm=algorithm,
        choice=reason,
        statistics=outcome.statistics,
        limit=outcome.limit,
        complete=outcome.limit is None and (outcome.finding is None or outcome.exhausted),
        forecasts=outcome.forecasts,
    )
    findings = tuple(finding for finding in outcome.findings if finding) or (
        (outcome.finding,) if outcome.finding else ()
    )
    return outcome, Found(outcome.finding, search, outcome.evidence_limit, outcome.collided, findings)


def _work(work: Work, resources: Resources) -> tuple[Outcome, int]:
    """The outcome, and the most memory that the processes of all workers had."""
    import numpy as np

    from ouroboros.search.worker import Worker

    team = resources.team
    # Workers are copies of this process, and go by its clock.
    resources.limits.clock.start()

    def work_and_weigh(exchange: Exchange, budget: Budget) -> tuple[Outcome, int]:
        is_copy = team.exchange == "processes" and exchange.rank > 0
        shared = copied_memory() if is_copy else 0
        budget.scratch = resources.limits.scratch or tempfile.gettempdir()
        worker = Worker(exchange, budget, resources.limits, resources.observer, resources.store, resources.keeper)
        outcome = work(worker)
        if is_copy:
            shared += library_memory()
        own = peak_memory() - shared
        return outcome, int(exchange.total(np.array([own], np.int64))[0])

    return team.run(work_and_weigh, resources.limits.memory)


def confirm_same_for_all(exchange: Exchange, text: str) -> None:
    """Ranks that had translated a formula to different automata would search a graph that does not exist."""
    import numpy as np

    own = int(sha256(text.encode()).hexdigest()[:12], 16)
    differs = int(exchange.total(np.array([own], np.int64))[0]) != own * exchange.size
    if int(exchange.total(np.array([differs], np.int64))[0]):
        raise SelfCheckError("the workers have different automata of the same property")


def _pays(system: System, program: Program, stubborn: StubbornTables) -> bool:
    """Whether leaving out steps is worth the time that it takes to find out which."""
    from ouroboros.graph.base import SystemGraph
    from ouroboros.search.sampling import pays

    reviewed = stubborn.wanted != 0
    return pays(SystemGraph(system, program.unreduced), SystemGraph(system, program, reviewed=reviewed), reviewed)


def stubborn_identity(stubborn: StubbornTables | None) -> str:
    """What a search that leaves out steps is known by."""
    return "" if stubborn is None else repr((stubborn.discord, stubborn.visible, stubborn.wanted, stubborn.allowed))


def _all_of(expressions: Sequence[Expression]) -> Expression:
    """Their conjunction, as a balanced tree: thousands of assertions must not nest thousands deep."""
    if len(expressions) < 2:
        return expressions[0] if expressions else TRUE
    half = len(expressions) // 2
    return Binary("and", _all_of(expressions[:half]), _all_of(expressions[half:]))
