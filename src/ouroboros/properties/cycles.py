"""The searches for runs that go on for ever: that an automaton accepts, or that are fair besides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, get_args

from ouroboros.driver.searching import Found, Task, confirm_same_for_all, run_search, stubborn_identity
from ouroboros.driver.stages import COMPILING, REDUCING
from ouroboros.ltl import Automaton
from ouroboros.properties.formulas.watched import Watched
from ouroboros.system.fairness import described
from ouroboros.system.product import with_automaton_field
from ouroboros.units import plural
from ouroboros.verdict.report import Answer, Verdict
from ouroboros.verdict.trace import Watcher

if TYPE_CHECKING:
    from ouroboros.driver.reducing import Runs
    from ouroboros.driver.run import Run
    from ouroboros.native import Program
    from ouroboros.search.accepting import Algorithm
    from ouroboros.search.evidence import Evidence
    from ouroboros.search.worker import Worker
    from ouroboros.system.layout import Field
    from ouroboros.system.model import System
    from ouroboros.trace.fair import FairRuns
    from ouroboros.verdict.outcome import Outcome
    from ouroboros.verdict.trace import Trace


COLLIDED = (
    "there is a fair cycle among hashes, but states with the same hash were taken for one on it: use more bits, another"
    " --seed, or an exact store"
)


class Product(NamedTuple):
    """A system beside the automaton that accepts what is looked for."""

    system: System
    """With a field for the automaton's state."""
    watcher: Watcher


def product_of(system: System, watched: Watched) -> Product:
    if watched.infinite:
        system = replace(system, extends_finite_runs=False)
    product, field = with_automaton_field(system, watched.locations, watched.automaton.initial)
    return Product(product, Watcher(watched.automaton, watched.propositions, field, named=watched.formula is None))


def find_cycle(product: Product, run: Run, runs: Runs | None = None, evidence: Evidence | None = None) -> Found:
    """Look for a run that the automaton accepts, leaving out what the property allows; if there is none, the evidence
    gets all states and their ranks.
    """
    from ouroboros.graph.product import ProductGraph
    from ouroboros.native import compile_system
    from ouroboros.search.accepting import Method, accepting_cycle

    system, watcher = product
    resources, wanted = run.resources, run.combination
    algorithm, reason = _algorithm(watcher.automaton, run)
    method = Method(algorithm)
    method = replace(method, order=wanted.order or method.order, edges=wanted.edges or method.edges)
    stage = resources.limits.stage
    with stage(REDUCING):
        stubborn = run.reductions.choices_for_runs(system, runs) if runs else None
    with stage(COMPILING):
        program = compile_system(system, watcher.propositions, stubborn)

    def work(worker: Worker) -> Outcome:
        confirm_same_for_all(worker.exchange, repr(watcher.automaton))
        graph = ProductGraph(system, program, watcher.automaton, watcher.field, watcher.propositions)
        return accepting_cycle(graph, method, worker, evidence)

    name = "owcty_hc" if resources.store.name == "compact" else algorithm
    identity = repr(watcher.automaton) + stubborn_identity(stubborn)
    return run_search(Task(name, system, reason, identity, evidence is not None), work, resources)


def _algorithm(automaton: Automaton, run: Run) -> tuple[Algorithm, str | None]:
    """That which the user chose, or which suits best; and why."""
    from ouroboros.driver.combinations import refuse
    from ouroboros.search.accepting import Algorithm, choose

    resources, wanted = run.resources, run.combination
    algorithm, reason = choose(automaton, resources.team.size, wanted.algorithm, resources.store)
    remembered = resources.keeper.algorithm() if resources.keeper else None
    begun: Algorithm | None = next((known for known in get_args(Algorithm) if known == remembered), None)
    if begun and begun != algorithm:
        # What was begun must be gone on with, whatever would suit another number of workers.
        refuse(replace(wanted, algorithm=begun))
        return begun, "the checkpoint is of a search by it"
    return algorithm, reason


class FairSearch(NamedTuple):
    """A search for a fair run."""

    algorithm: str
    identity: str
    reason: str
    watcher: tuple[Automaton, Field] | None = None
    """The automaton that accepts it, if there is one, and where its state is."""


def find_fair_cycle(fairly: FairSearch, system: System, program: Program, fair: FairRuns, run: Run) -> Found:
    from ouroboros.graph.fair import FairGraph
    from ouroboros.search.fair import FairMethod, fair_cycle

    method = FairMethod(run.combination.edges or "auto")

    def work(worker: Worker) -> Outcome:
        confirm_same_for_all(worker.exchange, fairly.identity)
        return fair_cycle(FairGraph(system, program, fair.fairness, fairly.watcher, fair.stutters), method, worker)

    task = Task(fairly.algorithm, system, fairly.reason, fairly.identity)
    return run_search(task, work, run.resources)


def told_runs(fair: FairRuns) -> str:
    return f"{described(fair.fairness)}, {'with' if fair.stutters else 'without'} stuttering"


def judged(answer: Answer, trace: Trace | None, found: Found, warnings: Iterable[str]) -> Answer:
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
