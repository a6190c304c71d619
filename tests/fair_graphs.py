"""Random fair transition systems, without a compilation for each, and what a plain sequential algorithm says of them.

As in `graphs.py` one system stands for all: a state carries its whole graph along, in fields that no action changes.
Action a leads from vertex v to targets[v * ACTIONS + a], if anywhere; or it overflows, and the run ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from random import Random
from threading import Lock
from typing import NamedTuple

from hypothesis import strategies as st

from ouroboros.checkpoint.keeper import Keeper
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.limits import Limits
from ouroboros.engine.stores.choice import FULL, StoreChoice
from ouroboros.graph.fair import FairGraph
from ouroboros.ltl.automaton import Automaton
from ouroboros.memory import Budget
from ouroboros.native import Program, compile_system
from ouroboros.search.fair import FairMethod, fair_cycle
from ouroboros.search.worker import Worker
from ouroboros.source import Source
from ouroboros.system.blocks import Assign, Require
from ouroboros.system.choices import Action, All, Do
from ouroboros.system.expressions import Binary, Constant, Expression, Read
from ouroboros.system.fairness import FairAction, Fairness
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.model import Failure, Proposition, System
from ouroboros.verdict.outcome import Outcome
from tests.graphs import LOCATIONS, MEMORY, Node, components, distances

VERTICES, ACTIONS = 10, 4
_OVERFLOW, _NO_EDGE = 14, 15


class FairModel(NamedTuple):
    system: System
    vertex: Field
    location: Field
    p: Proposition
    q: Proposition
    response: Program
    """Computes p and q."""
    beside: Program
    """Computes p alone, for an automaton."""


def target_of(vertex: Field, targets: Field, action: int) -> Expression:
    return Read(targets, Binary("+", Binary("*", Read(vertex), Constant(ACTIONS)), Constant(action)), 0)


_one_at_a_time = Lock()


def fair_model() -> FairModel:
    # Threads that ask at the same moment must get the same fields, and a cache alone does not see to that.
    with _one_at_a_time:
        return _fair_model()


@cache
def _fair_model() -> FairModel:
    vertex = Field("vertex", "graph", 4)
    location = Field("location", "automaton", (LOCATIONS - 1).bit_length())
    targets = Field("targets", "graph", 4, length=VERTICES * ACTIONS, initial=(_NO_EDGE,) * (VERTICES * ACTIONS))
    holds = [Field(name, "graph", 1, length=VERTICES, initial=(0,) * VERTICES) for name in ("p", "q")]
    layout = Layout((vertex, location, targets, *holds))
    actions = []
    for number in range(ACTIONS):
        target = target_of(vertex, targets, number)
        effect = (Require(Binary("!=", target, Constant(_OVERFLOW)), 1), Assign(vertex, None, target))
        actions.append(Action((), effect, Binary("!=", target, Constant(_NO_EDGE)), name=f"action {number}"))
    system = System(
        name="fair table",
        language="none",
        source=Source("fair table", ""),
        layout=layout,
        initial=(layout.initial(),),
        actions=tuple(actions),
        choices=All(tuple(Do(index) for index in range(ACTIONS))),
        failures=(Failure("index", "index out of range", None), Failure("overflow", "overflow", None)),
    )
    p, q = (Proposition(item.name, Read(item, Read(vertex), 0)) for item in holds)
    return FairModel(system, vertex, location, p, q, compile_system(system, [p, q]), compile_system(system, [p]))


@dataclass(frozen=True)
class FairTable:
    """For each vertex and each action the vertex that it leads to, None where it is disabled, -1 where it overflows."""

    targets: tuple[tuple[int | None, ...], ...]
    p: frozenset[int]
    q: frozenset[int]
    initial: tuple[int, ...] = (0,)
    extends: bool = True
    """Whether a run that ends repeats its last vertex."""

    def steps(self, vertex: int) -> list[tuple[int | None, int]]:
        """The actions and the vertices that they lead to; None where a run that ends repeats its vertex."""
        row = self.targets[vertex]
        if self.extends and all(target is None for target in row):
            return [(None, vertex)]
        return [(action, target) for action, target in enumerate(row) if target is not None and target >= 0]

    def enabled(self, vertex: int) -> set[int]:
        return {action for action, target in enumerate(self.targets[vertex]) if target is not None}

    @cached_property
    def system(self) -> System:
        return replace(
            fair_model().system,
            initial=tuple(self.vector((vertex, 0)) for vertex in self.initial),
            extends_finite_runs=self.extends,
        )

    def vector(self, node: Node) -> Vector:
        model = fair_model()
        layout = model.system.layout
        words = list(layout.initial())
        values = {
            "vertex": [node[0]],
            "location": [node[1]],
            "targets": [_code(target) for row in self.targets for target in row],
            "p": [int(vertex in self.p) for vertex in range(VERTICES)],
            "q": [int(vertex in self.q) for vertex in range(VERTICES)],
        }
        for item in layout.fields:
            for index, value in enumerate(values[item.name]):
                layout.write(words, item, index, value)
        return tuple(words)

    def node(self, vector: Vector) -> Node:
        model = fair_model()
        layout = model.system.layout
        node = layout.read(vector, model.vertex), layout.read(vector, model.location)
        assert vector == self.vector(node), "a step has changed the graph"
        return node


def _code(target: int | None) -> int:
    return _NO_EDGE if target is None else _OVERFLOW if target < 0 else target


# Drawing them -----------------------------------------------------------------------------------------------------


def random_fair_table(random: Random) -> FairTable:
    vertices = random.randint(1, VERTICES)
    density = random.choice((0.3, 0.5, 0.8))
    overflows = random.random() < 0.1
    targets = tuple(
        tuple(
            None
            if random.random() > density
            else -1
            if overflows and random.random() < 0.1
            else random.randrange(vertices)
            for _ in range(ACTIONS)
        )
        for _ in range(vertices)
    )

    def some(share: float) -> frozenset[int]:
        return frozenset(vertex for vertex in range(vertices) if random.random() < share)

    initial = tuple(random.randrange(vertices) for _ in range(random.choice((1, 1, 2))))
    p = some(random.choice((0.2, 0.5, 1)))
    return FairTable(targets, p, some(random.choice((0, 0.1, 0.3))), initial, random.random() < 0.5)


def random_fairness(random: Random) -> Fairness:
    """Mostly an action each; sometimes many sets that overlap, more than there are bits in two words."""
    if random.random() < 0.2:
        sets = [
            frozenset(action for action in range(ACTIONS) if random.random() < 0.6)
            for _ in range(random.choice((3, 58, 59, 70, 130)))
        ]
    else:
        sets = [frozenset({action}) for action in range(ACTIONS) if random.random() < 0.7]
    strengths = random.choice((("weak",), ("strong",), ("weak", "strong")))
    return tuple(FairAction(f"fair {number}", random.choice(strengths), chosen) for number, chosen in enumerate(sets))


@st.composite
def fair_tables(draw: st.DrawFn) -> FairTable:
    vertices = draw(st.integers(1, 6))
    vertex = st.integers(0, vertices - 1)
    target = st.none() | vertex | st.just(-1)
    row = st.tuples(*[target] * ACTIONS)
    targets = tuple(draw(row) for _ in range(vertices))
    sets = st.frozensets(vertex)
    return FairTable(
        targets, draw(sets), draw(sets), tuple(draw(st.lists(vertex, min_size=1, max_size=2))), draw(st.booleans())
    )


@st.composite
def fairnesses(draw: st.DrawFn) -> Fairness:
    sets = draw(st.lists(st.frozensets(st.integers(0, ACTIONS - 1)), max_size=5))
    return tuple(
        FairAction(f"fair {number}", draw(st.sampled_from(("weak", "strong"))), chosen)
        for number, chosen in enumerate(sets)
    )


# The reference ----------------------------------------------------------------------------------------------------

Steps = dict[Node, list[tuple[int | None, Node]]]


@dataclass(frozen=True)
class FairQuestion:
    """Is there a fair run of the graph on which p is never answered, or which an automaton over p accepts?"""

    table: FairTable
    fairness: Fairness
    stutters: bool = False
    automaton: Automaton | None = None

    @cached_property
    def steps(self) -> Steps:
        """All that can be reached, with steps that repeat a vertex."""
        initial = [(vertex, self.automaton.initial if self.automaton else 0) for vertex in self.table.initial]
        reached = distances(initial, lambda node: [after for _, after in self._steps(node)])
        return {node: self._steps(node) for node in reached}

    def _steps(self, node: Node) -> list[tuple[int | None, Node]]:
        vertex, location = node
        steps = self.table.steps(vertex)
        if self.stutters:
            steps = [*steps, (None, vertex)]
        if not self.automaton:
            return [(action, (after, 0)) for action, after in steps]
        letter = vertex in self.table.p
        edges = [edge.target for edge in self.automaton.edges[location] if not edge.mask or edge.value == letter]
        return [(action, (after, target)) for target in edges for action, after in steps]

    @cached_property
    def starts(self) -> set[Node]:
        if self.automaton:
            return {(vertex, self.automaton.initial) for vertex in self.table.initial}
        return {node for node in self.steps if node[0] in self.table.p - self.table.q}

    @cached_property
    def pending(self) -> set[Node]:
        return set(
            distances(self.starts, lambda node: [after for _, after in self.steps[node] if not self._ends(after)])
        )

    def _ends(self, node: Node) -> bool:
        return not self.automaton and node[0] in self.table.q

    @cached_property
    def is_violated(self) -> bool:
        return self._has_fair_cycle(self.pending)

    def _has_fair_cycle(self, nodes: Iterable[Node]) -> bool:
        """Component by component; where a strongly fair action is enabled but never taken, its states cannot help."""
        inside = set(nodes)
        edges = {node: [after for _, after in self.steps[node] if after in inside] for node in inside}
        return any(self._is_fair(set(component)) for component in components(edges))

    def _is_fair(self, component: set[Node]) -> bool:
        steps = [
            (node, action, after) for node in component for action, after in self.steps[node] if after in component
        ]
        if not steps or (self.automaton and not any(self.automaton.accepting[at] for _, at in component)):
            return False
        taken = {action for _, action, _ in steps}
        lacking = [fair for fair in self.fairness if not fair.actions & taken]
        if any(fair.strength == "weak" and self._always_enabled(fair, component) for fair in lacking):
            return False
        without = {
            node
            for node in component
            if not any(fair.strength == "strong" and fair.actions & self.table.enabled(node[0]) for fair in lacking)
        }
        return without == component or self._has_fair_cycle(without)

    def _always_enabled(self, fair: FairAction, nodes: Iterable[Node]) -> bool:
        return all(fair.actions & self.table.enabled(vertex) for vertex, _ in nodes)

    def is_fair_walk(self, nodes: Sequence[Node], taken: Sequence[frozenset[int]]) -> bool:
        """Whether a cycle of these nodes, on which the steps take these fair actions, is fair."""
        done = frozenset().union(*taken)
        for number, fair in enumerate(self.fairness):
            if number in done:
                continue
            if fair.strength == "weak" and self._always_enabled(fair, nodes):
                return False
            if fair.strength == "strong" and any(fair.actions & self.table.enabled(vertex) for vertex, _ in nodes):
                return False
        return not self.automaton or any(self.automaton.accepting[location] for _, location in nodes)


def search_fair_cycle(
    question: FairQuestion,
    method: FairMethod,
    exchange: Exchange,
    memory: int = MEMORY,
    limits: Limits | None = None,
    store: StoreChoice = FULL,
    keeper: Keeper | None = None,
) -> Outcome:
    model = fair_model()
    graph = FairGraph(
        question.table.system,
        model.beside if question.automaton else model.response,
        question.fairness,
        (question.automaton, model.location) if question.automaton else None,
        question.stutters,
    )
    return fair_cycle(graph, method, Worker(exchange, Budget(memory), limits or Limits(), None, store, keeper))
