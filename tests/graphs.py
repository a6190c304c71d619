"""Random graphs for the searches, without a compilation for each: a state carries its whole graph along.

One system serves all graphs of a kind. Its initial state says which graph it is, in fields that no action changes; its
product with an automaton is built here a second time, on Python pairs, to have something to compare with.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from random import Random
from typing import NamedTuple, Protocol

from hypothesis import strategies as st

from ouroboros.checkpoint.keeper import Keeper
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.engine.limits import Limits, Observer
from ouroboros.engine.stores.choice import FULL, StoreChoice
from ouroboros.graph.base import SystemGraph
from ouroboros.graph.product import ProductGraph
from ouroboros.ltl.automaton import Automaton, Edge
from ouroboros.memory import Budget
from ouroboros.native import Program, compile_system
from ouroboros.search import reachability
from ouroboros.search.accepting import Method, accepting_cycle
from ouroboros.search.evidence import Evidence
from ouroboros.search.worker import Worker
from ouroboros.source import Source
from ouroboros.system.blocks import Assign, Require
from ouroboros.system.choices import Action, All, Do
from ouroboros.system.expressions import FALSE, Binary, Constant, Expression, Read
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.model import Failure, Proposition, System
from ouroboros.verdict.outcome import Outcome
from tests.threads import run_threads

MEMORY = 64 << 20
LOCATIONS = 4
"""The most locations of an automaton beside a graph."""

Node = tuple[int, int]
"""A state of the product: a vertex and a location."""


class Model(NamedTuple):
    """A system that stands for all graphs of a kind, compiled once."""

    system: System
    vertex: Field
    location: Field
    accepting: Proposition
    program: Program


class Graph(Protocol):
    """What the searches see as states of a system, and the tests as numbered vertices."""

    @property
    def initial(self) -> tuple[int, ...]: ...

    @property
    def model(self) -> Model: ...

    def parameters(self) -> dict[str, Sequence[int]]: ...

    def successors(self, vertex: int) -> list[int]: ...

    def accepts(self, vertex: int) -> bool: ...

    def fails(self, vertex: int) -> bool:
        """Whether one more step from there fails."""


def _model(
    name: str,
    fields: Sequence[Field],
    vertex: Field,
    steps: Sequence[tuple[Expression, Expression]],
    seen: Expression,
    fails: Expression | None = None,
) -> Model:
    """The system in which a step leads from any vertex where its guard holds to the vertex of its other expression."""
    location = Field("location", "automaton", (LOCATIONS - 1).bit_length())
    layout = Layout((vertex, location, *fields))
    accepting = Proposition("accepting", seen)
    actions = [Action((), (Assign(vertex, None, target),), guard) for guard, target in steps]
    if fails:
        actions.append(Action((), (Require(FALSE, 2),), fails))
    system = System(
        name=name,
        language="none",
        source=Source(name, ""),
        layout=layout,
        initial=(layout.initial(),),
        actions=tuple(actions),
        choices=All(tuple(Do(index) for index in range(len(actions)))),
        failures=(
            Failure("index", "index out of range", None),
            Failure("division", "division by zero", None),
            Failure("assertion", "assertion fails", None),
        ),
    )
    return Model(system, vertex, location, accepting, compile_system(system, [accepting]))


# Graphs that are tables -------------------------------------------------------------------------------------------

VERTICES, DEGREE = 15, 3
_NO_EDGE = VERTICES


@cache
def table_model(wide: bool) -> Model:
    """The targets of vertex v are targets[v * DEGREE], …

    A state has four words, for which the kernels have a version of their own, or, if it is wide, seven.
    """
    vertex = Field("vertex", "graph", 32 if wide else 4)
    targets = Field(
        "targets", "graph", 8 if wide else 4, length=VERTICES * DEGREE, initial=(_NO_EDGE,) * (VERTICES * DEGREE)
    )
    accepting = Field("accepting", "graph", 1, length=VERTICES, initial=(0,) * VERTICES)
    failing = Field("failing", "graph", 1, length=VERTICES, initial=(0,) * VERTICES)

    def target(edge: int) -> Expression:
        at = Binary("+", Binary("*", Read(vertex), Constant(DEGREE)), Constant(edge))
        return Read(targets, at, 0)

    steps = [(Binary("!=", target(edge), Constant(_NO_EDGE)), target(edge)) for edge in range(DEGREE)]
    seen, fails = (Read(marks, Read(vertex), 0) for marks in (accepting, failing))
    return _model("table", (targets, accepting, failing), vertex, steps, seen, fails)


@dataclass(frozen=True)
class Table:
    """A graph that lists its edges: a few vertices, each with a few successors, repeated ones among them."""

    targets: tuple[tuple[int, ...], ...]
    accepting: frozenset[int]
    initial: tuple[int, ...] = (0,)
    failing: frozenset[int] = frozenset()
    wide: bool = False

    @property
    def model(self) -> Model:
        return table_model(self.wide)

    def parameters(self) -> dict[str, Sequence[int]]:
        rows = [[*row, *[_NO_EDGE] * (DEGREE - len(row))] for row in self.targets]
        return {
            "targets": [target for row in rows for target in row],
            "accepting": [int(vertex in self.accepting) for vertex in range(VERTICES)],
            "failing": [int(vertex in self.failing) for vertex in range(VERTICES)],
        }

    def successors(self, vertex: int) -> list[int]:
        return list(self.targets[vertex])

    def accepts(self, vertex: int) -> bool:
        return vertex in self.accepting

    def fails(self, vertex: int) -> bool:
        return vertex in self.failing


def random_table(random: Random) -> Table:
    """Few accepting vertices and about one edge for each vertex: then cycles are neither rare nor everywhere."""
    vertices = random.randint(1, VERTICES)
    degrees = random.choice(((0, 1, 2), (1, 1, 2), (0, 1, 1, 1, 3), (0, 0, 1, 2, 3)))
    forward = random.random() < 0.5
    targets = []
    for vertex in range(vertices):
        # Edges that mostly lead forward leave few cycles.
        lowest = vertex + 1 if forward and random.random() < 0.9 and vertex + 1 < vertices else 0
        targets.append(tuple(random.randint(lowest, vertices - 1) for _ in range(random.choice(degrees))))
    share = random.choice((0.1, 0.3, 0.7))
    accepting = frozenset(vertex for vertex in range(vertices) if random.random() < share)
    initial = tuple(random.randrange(vertices) for _ in range(random.choice((1, 1, 2, 4))))
    failing = frozenset({random.randrange(vertices)} if random.random() < 0.1 else ())
    return Table(tuple(targets), accepting, initial, failing, random.random() < 0.1)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Shrinks to few vertices, few edges, and none accepting."""
    vertices = draw(st.integers(1, VERTICES))
    vertex = st.integers(0, vertices - 1)
    targets = tuple(tuple(draw(st.lists(vertex, max_size=DEGREE))) for _ in range(vertices))
    initial = tuple(draw(st.lists(vertex, min_size=1, max_size=3)))
    failing = draw(st.just(frozenset[int]()) | st.frozensets(vertex, max_size=2))
    return Table(targets, draw(st.frozensets(vertex)), initial, failing, draw(st.booleans()))


# Graphs that are formulas -----------------------------------------------------------------------------------------

_PARAMETERS = ("vertices", "factor", "offset", "gap", "every", "which")


@cache
def formula_model() -> Model:
    """Two steps: v to (factor * v + offset) % vertices, unless v % gap == 0; and v to v + 1, while there is one."""
    vertex = Field("vertex", "graph", 16)
    fields = {name: Field(name, "graph", 16, initial=(1,)) for name in _PARAMETERS}
    read: dict[str, Expression] = {name: Read(field) for name, field in fields.items()}

    def modulo(value: Expression, divisor: Expression) -> Expression:
        return Binary("%", value, divisor, 1)

    jump = modulo(Binary("+", Binary("*", read["factor"], Read(vertex)), read["offset"]), read["vertices"])
    step = Binary("+", Read(vertex), Constant(1))
    steps = [
        (Binary("!=", modulo(Read(vertex), read["gap"]), Constant(0)), jump),
        (Binary("<", step, read["vertices"]), step),
    ]
    seen = Binary("==", modulo(Read(vertex), read["every"]), read["which"])
    return _model("formula", tuple(fields.values()), vertex, steps, seen)


@dataclass(frozen=True)
class Formula:
    """A graph of any size: a long chain with jumps."""

    vertices: int
    factor: int
    offset: int
    gap: int
    every: int
    which: int
    initial: tuple[int, ...] = (0,)

    @property
    def model(self) -> Model:
        return formula_model()

    def parameters(self) -> dict[str, Sequence[int]]:
        return {name: [getattr(self, name)] for name in _PARAMETERS}

    def successors(self, vertex: int) -> list[int]:
        jump = [(self.factor * vertex + self.offset) % self.vertices] if vertex % self.gap else []
        return jump + ([vertex + 1] if vertex + 1 < self.vertices else [])

    def accepts(self, vertex: int) -> bool:
        return vertex % self.every == self.which

    def fails(self, vertex: int) -> bool:
        return False


def random_formula(random: Random, vertices: int) -> Formula:
    every = random.choice((2, 7, 50, vertices))
    return Formula(
        vertices,
        random.choice((1, random.randrange(vertices))),
        random.randrange(vertices),
        # With a gap of 1 nobody jumps, and the graph is one chain.
        random.choice((1, 2, 3, 10, 1000)),
        every,
        random.randrange(every),
        tuple(random.randrange(vertices) for _ in range(random.choice((1, 1, 3)))),
    )


# Automata ---------------------------------------------------------------------------------------------------------


def _automaton(accepting: Iterable[bool], *edges: Sequence[Edge]) -> Automaton:
    return Automaton(("accepting",), 0, tuple(map(tuple, edges)), tuple(accepting))


def _if(truth: bool, target: int) -> Edge:
    return Edge(1, int(truth), target)


def _always(target: int) -> Edge:
    return Edge(0, 0, target)


LAST_SEEN = _automaton((False, True), [_if(False, 0), _if(True, 1)], [_if(False, 0), _if(True, 1)])
"""Location 1 says that the vertex before was accepting: accepted are the runs with infinitely many of these."""

AUTOMATA = {
    "infinitely often": LAST_SEEN,
    "infinitely often, by guessing": _automaton((False, True), [_always(0), _if(True, 1)], [_always(0)]),
    "at last for ever": _automaton((False, True), [_always(0), _if(True, 1)], [_if(True, 1)]),
    "never": _automaton((True,), [_if(False, 0)]),
    "some time": _automaton((False, True), [_if(False, 0), _if(True, 1)], [_always(1)]),
    "some time, and free to forget": _automaton(
        (False, True, False), [_if(False, 0), _if(True, 1)], [_always(2), _always(1)], [_if(True, 1)]
    ),
    "nothing": _automaton((False,), [_always(0)]),
    "anything": _automaton((True,), [_always(0)]),
}


def random_automaton(random: Random) -> Automaton:
    locations = random.randint(1, LOCATIONS)
    edges = [
        [
            random.choice((_always, lambda to: _if(True, to), lambda to: _if(False, to)))(random.randrange(locations))
            for _ in range(random.choice((0, 1, 2, 2, 3)))
        ]
        for _ in range(locations)
    ]
    return _automaton((random.random() < 0.4 for _ in range(locations)), *edges)


@st.composite
def automata(draw: st.DrawFn) -> Automaton:
    if draw(st.booleans()):
        return draw(st.sampled_from(list(AUTOMATA.values())))
    locations = draw(st.integers(1, LOCATIONS))
    target = st.integers(0, locations - 1)
    edge = st.builds(_always, target) | st.builds(_if, st.booleans(), target)
    accepting = draw(st.lists(st.booleans(), min_size=locations, max_size=locations))
    return _automaton(accepting, *(draw(st.lists(edge, max_size=3)) for _ in range(locations)))


# The product, as the tests see it -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Product:
    """A graph beside an automaton, and whether a run that ends repeats its last vertex."""

    graph: Graph
    automaton: Automaton
    extends: bool = False

    @cached_property
    def initial(self) -> list[Node]:
        return [(vertex, self.automaton.initial) for vertex in dict.fromkeys(self.graph.initial)]

    def accepting(self, node: Node) -> bool:
        return self.automaton.accepting[node[1]]

    def successors(self, node: Node) -> list[Node]:
        """With repetitions where several edges lead the same way."""
        vertex, _ = node
        vertices = self.graph.successors(vertex)
        if not vertices and self.extends and not self.graph.fails(vertex):
            vertices = [vertex]
        return [(following, target) for target in self.locations(node) for following in vertices]

    def locations(self, node: Node) -> list[int]:
        """Where the automaton may go."""
        vertex, location = node
        letter = self.graph.accepts(vertex)
        return [edge.target for edge in self.automaton.edges[location] if not edge.mask or edge.value == letter]

    @cached_property
    def edges(self) -> dict[Node, list[Node]]:
        """All that can be reached."""
        return {node: self.successors(node) for node in distances(self.initial, self.successors)}

    @cached_property
    def depths(self) -> dict[Node, int]:
        return distances(self.initial, self.successors)

    @cached_property
    def has_accepting_cycle(self) -> bool:
        return any(
            any(map(self.accepting, component)) and (len(component) > 1 or component[0] in self.edges[component[0]])
            for component in components(self.edges)
        )

    @property
    def nearest_failure(self) -> int | None:
        """Where the automaton cannot go on, a failure makes no difference any more."""
        failing = (node for node in self.depths if self.graph.fails(node[0]) and self.locations(node))
        return min(map(self.depths.__getitem__, failing), default=None)

    def shortest_cycle(self, node: Node) -> int | None:
        """The steps of a shortest cycle through a node."""
        return distances(self.edges[node], self.edges.__getitem__, start=1).get(node)


class Counts(NamedTuple):
    states: int
    transitions: int
    deadlocks: int
    depth: int


def counts(graph: Graph) -> Counts:
    """Of a graph alone. All steps that fail lead to one state more, which has no successors."""
    reached = distances(
        [(vertex, 0) for vertex in graph.initial], lambda node: [(to, 0) for to in graph.successors(node[0])]
    )
    vertices = {vertex: depth for (vertex, _), depth in reached.items()}
    failing = sum(map(graph.fails, vertices))
    steps = {vertex: len(graph.successors(vertex)) + graph.fails(vertex) for vertex in vertices}
    deadlocks = sum(count == 0 for count in steps.values())
    error = failing > 0
    return Counts(len(vertices) + error, sum(steps.values()), deadlocks + error, max(vertices.values()))


def distances(starts: Iterable[Node], successors: Callable[[Node], list[Node]], start: int = 0) -> dict[Node, int]:
    """The fewest steps to each node."""
    found = dict.fromkeys(starts, start)
    queue = deque(found)
    while queue:
        node = queue.popleft()
        for target in successors(node):
            if target not in found:
                found[target] = found[node] + 1
                queue.append(target)
    return found


def components(edges: dict[Node, list[Node]]) -> list[list[Node]]:
    """The strongly connected components: Tarjan's algorithm, with a stack of its own instead of recursion."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    open_nodes: list[Node] = []
    is_open: set[Node] = set()
    result = []
    for root in edges:
        if root in index:
            continue
        calls = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        open_nodes.append(root)
        is_open.add(root)
        while calls:
            node, targets = calls[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    open_nodes.append(target)
                    is_open.add(target)
                    calls.append((target, iter(edges[target])))
                    break
                if target in is_open:
                    low[node] = min(low[node], index[target])
            else:
                calls.pop()
                if calls:
                    low[calls[-1][0]] = min(low[calls[-1][0]], low[node])
                if low[node] == index[node]:
                    at = open_nodes.index(node)
                    result.append(open_nodes[at:])
                    is_open.difference_update(open_nodes[at:])
                    del open_nodes[at:]
    return result


# The product, as the searches see it ------------------------------------------------------------------------------


class Coding:
    """Between nodes and vectors."""

    def __init__(self, product: Product) -> None:
        self.model = product.graph.model
        layout = self.model.system.layout
        words = [0] * layout.words
        for item in layout.fields:
            for index, value in enumerate(product.graph.parameters().get(item.name, item.initial)):
                layout.write(words, item, index, value)
        self._blank = tuple(words)

    def vector(self, node: Node) -> Vector:
        layout = self.model.system.layout
        words = list(self._blank)
        layout.write(words, self.model.vertex, 0, node[0])
        layout.write(words, self.model.location, 0, node[1])
        return tuple(words)

    def node(self, vector: Vector) -> Node:
        layout = self.model.system.layout
        node = layout.read(vector, self.model.vertex), layout.read(vector, self.model.location)
        assert vector == self.vector(node), "a step has changed the graph"
        return node


def run(workers: int, work: Callable[[Exchange], Outcome]) -> list[Outcome]:
    """What each worker found."""
    return [work(SoloExchange())] if workers == 1 else run_threads(workers, work)


def as_system(product: Product) -> System:
    coding = Coding(product)
    vectors = tuple(coding.vector((vertex, product.automaton.initial)) for vertex in product.graph.initial)
    return replace(product.graph.model.system, initial=vectors, extends_finite_runs=product.extends)


def search_cycle(
    product: Product,
    method: Method,
    exchange: Exchange,
    memory: int = MEMORY,
    limits: Limits | None = None,
    observer: Observer | None = None,
    store: StoreChoice = FULL,
    evidence: Evidence | None = None,
    keeper: Keeper | None = None,
) -> Outcome:
    model = product.graph.model
    graph = ProductGraph(as_system(product), model.program, product.automaton, model.location, [model.accepting])
    worker = Worker(exchange, Budget(memory), limits or Limits(), observer, store, keeper)
    return accepting_cycle(graph, method, worker, evidence)


@dataclass(frozen=True)
class Question(reachability.Question):
    """What must not be found, with what every state must have, and what those have that a run may end in."""

    required: int = 0
    ending: int = 0


def search_states(
    graph: Graph,
    question: Question,
    exchange: Exchange,
    memory: int = MEMORY,
    limits: Limits | None = None,
    observer: Observer | None = None,
    store: StoreChoice = FULL,
    evidence: Evidence | None = None,
    keeper: Keeper | None = None,
) -> Outcome:
    """The graph alone; the automaton stays where it is. Bit 0 of a valuation: the vertex is accepting."""
    worker = Worker(exchange, Budget(memory), limits or Limits(), observer, store, keeper)
    system = as_system(Product(graph, LAST_SEEN))
    return search_system(system, graph.model.program, question, worker, evidence)


def search_system(
    system: System, program: Program, question: Question, worker: Worker, evidence: Evidence | None = None
) -> Outcome:
    graph = SystemGraph(system, program, question.required, question.ending)
    return reachability.reachability(graph, question, worker, evidence)
