"""Accepting cycles in the product of a system with a Büchi automaton: one entry for all algorithms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from ouroboros.engine.edges import RegeneratedEdges
from ouroboros.engine.stores.choice import FULL, StoreChoice
from ouroboros.errors import SelfCheckError
from ouroboros.graph.product import ProductGraph
from ouroboros.ltl.automaton import Automaton
from ouroboros.memory import Budget, OutOfMemory
from ouroboros.search.bitstate_ndfs import BitstateNestedSearch
from ouroboros.search.evidence import Evidence, hand_over
from ouroboros.search.extension import extend_to_lasso
from ouroboros.search.graph_search import QUESTION, EdgePolicy, Stopped
from ouroboros.search.lasso import LassoFinder
from ouroboros.search.map import Map
from ouroboros.search.ndfs import nested_search
from ouroboros.search.owcty import Owcty
from ouroboros.search.owcty_hc import OwctyHc
from ouroboros.search.product_search import Order, ProductSearch
from ouroboros.search.ranks import ranks_of
from ouroboros.search.reachability import nearest_violation
from ouroboros.search.way import find_way
from ouroboros.search.worker import Worker
from ouroboros.system.layout import Vector
from ouroboros.verdict.outcome import Finding, LimitName, Outcome, Phase, Statistics

Algorithm = Literal["ndfs", "owcty", "map"]

_STATES_FOR_A_SHORT_WAY = 2_000_000


@dataclass(frozen=True)
class Method:
    """How to look for accepting cycles."""

    algorithm: Algorithm
    order: Order = "hash"
    edges: EdgePolicy = "auto"


def choose(
    automaton: Automaton, workers: int, asked: Algorithm | None, store: StoreChoice = FULL
) -> tuple[Algorithm, str]:
    """The algorithm to use, and why. The measurements behind it are those of bench/ltl.py."""
    if asked:
        return asked, "asked for"
    if store.name == "bitstate":
        return "ndfs", "it needs to know only whether it has seen a state, which a filter says"
    if not store.exact:
        return "owcty", "it can verify a cycle that is found among hashes"
    if store.name != "full":
        return "owcty", f"nested DFS needs the full store, and the {store} store was asked for"
    if automaton.strength == "terminal":
        return "owcty", "the automaton is terminal, so that its first phase, reachability, decides"
    if workers == 1:
        return "ndfs", "one worker alone: it sees the fewest states before a cycle, and keeps no edges"
    return "owcty", "several workers: nested DFS is sequential, and MAP has more iterations"


def accepting_cycle(graph: ProductGraph, method: Method, worker: Worker, evidence: Evidence | None = None) -> Outcome:
    """One worker's part; every worker returns the same outcome.

    The evidence gets the states of the product, with their ranks, if there is no accepting cycle.
    """
    run = _Run(graph, method, worker, evidence)
    try:
        if worker.store.name == "bitstate":
            return run.bitstate()
        if not worker.store.exact:
            return run.compact()
        return run.nested() if method.algorithm == "ndfs" else run.breadth_first()
    except OutOfMemory:
        # Every worker has the same limit, so all are here before anything was explored.
        return Outcome(Statistics(), limit="memory")


@dataclass
class _Run:
    graph: ProductGraph
    method: Method
    worker: Worker
    evidence: Evidence | None

    def nested(self) -> Outcome:
        result = nested_search(self.graph, replace(self.worker, budget=Budget(self.worker.budget.limit)))
        statistics = result.statistics
        statistics = replace(
            statistics, phases=(Phase("nested DFS", statistics.seconds, statistics.bytes, statistics.states),)
        )
        if not (result.limit or result.violated or result.accepting):
            return self._certified(statistics)
        if result.limit:
            return Outcome(statistics, limit=result.limit, forecasts=result.forecasts)
        # Depth first finds long ways. Now that there is a cycle, a breadth-first search finds a short one through it,
        # unless that takes many times the states that the nested search needed.
        alone = self._without_keeper
        worker = self._not_for_long(alone, statistics.states) if result.lasso else alone
        # For a terminal automaton any accepting state will do, and the nearest is best.
        goal = None if self.graph.ends_accepted else result.accepting
        try:
            search = ProductSearch(self.graph, worker, self.method.order, "regenerate", goal)
        except OutOfMemory:
            return Outcome(statistics, result.lasso, None if result.lasso else "memory")
        finding, limit = self._explore(search, lambda: None)
        found = search.statistics()
        statistics = replace(
            statistics,
            seconds=statistics.seconds + found.seconds,
            cpu_seconds=statistics.cpu_seconds + found.cpu_seconds,
            phases=(*statistics.phases, *found.phases),
        )
        finding = finding or result.lasso
        return Outcome(statistics, finding, None if finding else limit)

    @property
    def _without_keeper(self) -> Worker:
        return replace(self.worker, keeper=None)

    @staticmethod
    def _not_for_long(worker: Worker, states: int) -> Worker:
        """A short way is worth some time, if that many states were visited before."""
        most = max(_STATES_FOR_A_SHORT_WAY, 10 * states)
        return replace(worker, limits=replace(worker.limits, states=most))

    def _certified(self, statistics: Statistics) -> Outcome:
        """Nested DFS keeps no edges, and visits states in an order that says nothing of ranks: explore once more."""
        if self.evidence is None:
            return Outcome(statistics)
        try:
            search = ProductSearch(self.graph, self._without_keeper, self.method.order, self.method.edges)
        except OutOfMemory:
            return Outcome(statistics, evidence_limit="memory")
        finding, limit = self._explore(search, lambda: None)
        if finding:
            raise SelfCheckError("nested DFS found no accepting cycle in a product that has one")
        limit = limit or self._hand_over(search)
        phases = (*statistics.phases, *search.statistics().phases)
        return Outcome(replace(statistics, phases=phases), evidence_limit=limit)

    def _hand_over(self, search: ProductSearch) -> LimitName | None:
        """Returns the limit that was met, if there is no evidence for that."""
        if self.evidence is None:
            return None
        try:
            hand_over(search.explorer, self.evidence, ranks_of(search))
        except Stopped as stopped:
            return stopped.limit
        return None

    def breadth_first(self) -> Outcome:
        search = ProductSearch(self.graph, self.worker, self.method.order, self.method.edges)
        finding, limit = self._explore(search, lambda: self._shrink(search))
        lacking = None if finding or limit else self._hand_over(search)
        store = self.worker.store.fitted(self.graph.layout, cycles=True)
        forecasts = search.explorer.forecast(store, limit, cycles=True)
        return Outcome(search.statistics(), finding, limit, forecasts=forecasts, evidence_limit=lacking)

    def bitstate(self) -> Outcome:
        search = BitstateNestedSearch(self.graph, self.worker)
        result = search.run()
        statistics, finding = result.statistics, result.lasso
        del search
        if result.accepting:
            # Depth first finds long ways.
            worker = self._not_for_long(self.worker, statistics.states)
            short, _ = self._lasso_through(result.accepting, worker)
            finding = short or finding
        phases = (Phase("nested DFS", statistics.seconds, statistics.bytes, statistics.states),)
        return Outcome(replace(statistics, phases=phases), finding, result.limit)

    def compact(self) -> Outcome:
        """With a store that may take two states for one."""
        search = OwctyHc(self.graph, self._without_keeper)
        cycling: Vector | None = None
        finding: Finding | None = None
        limit: LimitName | None = None
        try:
            if search.explore():
                cycling = search.agreed_loop()
                finding = None if cycling else self._lossy_finding(search)
            elif not search.exploration.limit and not self.graph.ends_accepted:
                cycling = search.run()
            limit = search.exploration.limit
        except Stopped as stopped:
            limit = stopped.limit
        statistics = search.statistics()
        if cycling:
            # What the search has in memory is not needed any more, and the search for its counterexample needs some.
            del search
            finding, limit = self._lasso_through(cycling, self.worker)
        return Outcome(statistics, finding, limit)

    def _lossy_finding(self, search: OwctyHc) -> Finding | None:
        place = search.suspect_place()
        if place is None:
            return nearest_violation(search.explorer, QUESTION)
        return extend_to_lasso(self.graph, search.explorer.path_to(place, self.graph.accepts))

    def _lasso_through(self, state: Vector, worker: Worker) -> tuple[Finding | None, LimitName | None]:
        """A way to an accepting state, and one back to it."""
        initial = self.graph.initial
        stem, limit = ([state], None) if state in initial else find_way(self.graph, worker, initial, state)
        if limit:
            return None, limit
        cycle, limit = find_way(self.graph, worker, (state,), state)
        return None if limit else Finding("cycle", stem, cycle[1:]), limit

    def _explore(
        self, search: ProductSearch, decide: Callable[[], Finding | None]
    ) -> tuple[Finding | None, LimitName | None]:
        """What exploration finds, or else what `decide` finds in the whole product; and the limit that was met."""
        try:
            finding = self._finding(search) if search.explore() else decide()
        except Stopped as stopped:
            search.save_boundary()
            return None, stopped.limit
        return finding, search.exploration.limit

    def _finding(self, search: ProductSearch) -> Finding | None:
        """Why the exploration ended early."""
        place = search.suspect_place()
        if place is None:
            return nearest_violation(search.explorer, QUESTION)
        if self.graph.ends_accepted:
            return extend_to_lasso(self.graph, search.explorer.path_to(place))
        edges = RegeneratedEdges(search.explorer, self.graph.most_successors)
        return LassoFinder(search, edges).find(place)

    def _shrink(self, search: ProductSearch) -> Finding | None:
        """Decide the whole product."""
        if search.exploration.limit or self.graph.ends_accepted:
            return None
        if self.method.algorithm == "map":
            predecessors = Map(search)
            place = search.suspect_place() if predecessors.run() else None
            return LassoFinder(search, predecessors.edges).find(place) if place else None
        owcty = Owcty(search)
        if not owcty.run(self.graph.automaton.strength != "strong"):
            return None
        return LassoFinder(search, owcty.edges).find_any(owcty.candidates())
