"""Accepting cycles in the product of a system with a Büchi automaton: one entry for all algorithms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from ouroboros.checkpoint.keeper import Keeper
from ouroboros.engine.edges import RegeneratedEdges
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.limits import Limits, Observer
from ouroboros.engine.memory import Budget, OutOfMemory
from ouroboros.engine.product import ProductExpansion
from ouroboros.engine.stores.choice import FULL, StoreChoice
from ouroboros.errors import SelfCheckError
from ouroboros.ltl.automaton import Automaton
from ouroboros.native import Program
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
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import Proposition, System
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


def accepting_cycle(
    system: System,
    program: Program,
    automaton: Automaton,
    field: Field,
    propositions: Sequence[Proposition],
    method: Method,
    limits: Limits,
    exchange: Exchange,
    budget: Budget,
    observer: Observer | None = None,
    store: StoreChoice = FULL,
    evidence: Evidence | None = None,
    keeper: Keeper | None = None,
) -> Outcome:
    """One worker's part; every worker returns the same outcome.

    The system has `field` for the automaton's state, and the program computes the propositions, one for each atom. The
    evidence gets the states of the product, with their ranks, if there is no accepting cycle.
    """
    expansion = ProductExpansion(program, system, automaton, field)
    run = _Run(
        system=system,
        automaton=automaton,
        field=field,
        propositions=list(propositions),
        method=method,
        limits=limits,
        exchange=exchange,
        budget=budget,
        observer=observer,
        expansion=expansion,
        store=store.fitted(system.layout, cycles=True),
        evidence=evidence,
        keeper=keeper,
    )
    try:
        if store.name == "bitstate":
            return run.bitstate()
        if not store.exact:
            return run.compact()
        return run.nested() if method.algorithm == "ndfs" else run.breadth_first()
    except OutOfMemory:
        # Every worker has the same limit, so all are here before anything was explored.
        return Outcome(Statistics(), limit="memory")


@dataclass
class _Run:
    system: System
    automaton: Automaton
    field: Field
    propositions: list[Proposition]
    method: Method
    limits: Limits
    exchange: Exchange
    budget: Budget
    observer: Observer | None
    expansion: ProductExpansion
    store: StoreChoice
    evidence: Evidence | None
    keeper: Keeper | None

    def nested(self) -> Outcome:
        result = nested_search(
            self.expansion,
            self.system.initial,
            Budget(self.budget.limit),
            self.limits,
            self.observer,
            self.store,
            self.keeper,
        )
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
        most = max(_STATES_FOR_A_SHORT_WAY, 10 * statistics.states)
        limits = replace(self.limits, states=most) if result.lasso else self.limits
        # For a terminal automaton any accepting state will do, and the nearest is best.
        goal = None if self._terminal else result.accepting
        try:
            search = self._search("regenerate", goal, limits)
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

    def _certified(self, statistics: Statistics) -> Outcome:
        """Nested DFS keeps no edges, and visits states in an order that says nothing of ranks: explore once more."""
        if self.evidence is None:
            return Outcome(statistics)
        try:
            search = self._search(self.method.edges, None, self.limits)
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
        search = self._search(self.method.edges, None, self.limits, self.keeper)
        finding, limit = self._explore(search, lambda: self._shrink(search))
        lacking = None if finding or limit else self._hand_over(search)
        forecasts = search.explorer.forecast(self.store, limit, cycles=True)
        return Outcome(search.statistics(), finding, limit, forecasts=forecasts, evidence_limit=lacking)

    def bitstate(self) -> Outcome:
        search = BitstateNestedSearch(self.expansion, self.budget, self.limits, self.observer, self.store)
        result = search.run(self.system.initial)
        statistics, finding = result.statistics, result.lasso
        del search
        if result.accepting:
            # Depth first finds long ways; a short one is worth some time.
            most = max(_STATES_FOR_A_SHORT_WAY, 10 * statistics.states)
            short, _ = self._lasso_through(result.accepting, replace(self.limits, states=most))
            finding = short or finding
        phases = (Phase("nested DFS", statistics.seconds, statistics.bytes, statistics.states),)
        return Outcome(replace(statistics, phases=phases), finding, result.limit)

    def compact(self) -> Outcome:
        """With a store that may take two states for one."""
        search = OwctyHc(
            self.expansion, self.exchange, self.budget, self.limits, self.observer, self._terminal, self.store
        )
        cycling: Vector | None = None
        finding: Finding | None = None
        limit: LimitName | None = None
        try:
            if search.explore(self.system.initial):
                cycling = search.agreed_loop()
                finding = None if cycling else self._lossy_finding(search)
            elif not search.exploration.limit and not self._terminal:
                cycling = search.run()
            limit = search.exploration.limit
        except Stopped as stopped:
            limit = stopped.limit
        statistics = search.statistics()
        if cycling:
            # What the search has in memory is not needed any more, and the search for its counterexample needs some.
            del search
            finding, limit = self._lasso_through(cycling, self.limits)
        return Outcome(statistics, finding, limit)

    def _lossy_finding(self, search: OwctyHc) -> Finding | None:
        place = search.suspect_place()
        if place is None:
            return nearest_violation(search.explorer, QUESTION)
        path = search.explorer.path_to(place, self._accepts)
        return extend_to_lasso(self.system, self.propositions, self.automaton, self.field, path)

    def _accepts(self, vector: Vector) -> bool:
        return self.automaton.accepting[self.system.layout.read(vector, self.field)]

    def _lasso_through(self, state: Vector, limits: Limits) -> tuple[Finding | None, LimitName | None]:
        """A way to an accepting state, and one back to it."""
        search = partial(find_way, self.expansion, limits, self.exchange, self.budget, self.observer, self.store.seed)
        stem, limit = ([state], None) if state in self.system.initial else search(self.system.initial, state)
        if limit:
            return None, limit
        cycle, limit = search((state,), state)
        return None if limit else Finding("cycle", stem, cycle[1:]), limit

    def _explore(
        self, search: ProductSearch, decide: Callable[[], Finding | None]
    ) -> tuple[Finding | None, LimitName | None]:
        """What exploration finds, or else what `decide` finds in the whole product; and the limit that was met."""
        try:
            finding = self._finding(search) if search.explore(self.system.initial) else decide()
        except Stopped as stopped:
            search.save_boundary()
            return None, stopped.limit
        return finding, search.exploration.limit

    def _search(
        self, edges: EdgePolicy, goal: Vector | None, limits: Limits, keeper: Keeper | None = None
    ) -> ProductSearch:
        return ProductSearch(
            self.expansion,
            self.exchange,
            self.budget,
            limits,
            self.observer,
            self.method.order,
            edges,
            self._terminal,
            goal,
            self.store,
            keeper,
        )

    @property
    def _terminal(self) -> bool:
        """Whether an accepting state, once reached, is enough: the automaton accepts all that can follow, and something
        always can: a run that ends is extended, unless an overflow ends it.
        """
        overflows = any(failure.kind == "overflow" for failure in self.system.failures)
        return self.automaton.strength == "terminal" and self.system.extends_finite_runs and not overflows

    def _finding(self, search: ProductSearch) -> Finding | None:
        """Why the exploration ended early."""
        place = search.suspect_place()
        if place is None:
            return nearest_violation(search.explorer, QUESTION)
        if self._terminal:
            path = search.explorer.path_to(place)
            return extend_to_lasso(self.system, self.propositions, self.automaton, self.field, path)
        edges = RegeneratedEdges(search.explorer, self.expansion.most_successors)
        return LassoFinder(search, edges).find(place)

    def _shrink(self, search: ProductSearch) -> Finding | None:
        """Decide the whole product."""
        if search.exploration.limit or self._terminal:
            return None
        if self.method.algorithm == "map":
            predecessors = Map(search)
            place = search.suspect_place() if predecessors.run() else None
            return LassoFinder(search, predecessors.edges).find(place) if place else None
        owcty = Owcty(search)
        if not owcty.run(self.automaton.strength != "strong"):
            return None
        return LassoFinder(search, owcty.edges).find_any(owcty.candidates())
