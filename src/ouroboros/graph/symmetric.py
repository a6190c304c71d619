"""A graph of representatives: of states that differ only by a permutation of alike values, one is explored."""

from __future__ import annotations

from ouroboros.graph.canonical import Canonicaliser
from ouroboros.graph.protocol import Batch, Graph, Labels
from ouroboros.system.layout import Layout


class SymmetricGraph:
    """The graph must have the symmetry, and its edges no labels that tell alike values apart."""

    def __init__(self, graph: Graph, canonicaliser: Canonicaliser) -> None:
        self._graph = graph
        self._canonicaliser = canonicaliser
        self.words, self.owning_words = graph.words, graph.owning_words
        self.actions = graph.actions
        self.initial = tuple(dict.fromkeys(map(canonicaliser.representative, graph.initial)))

    @property
    def layout(self) -> Layout:
        return self._graph.layout

    @property
    def most_successors(self) -> int:
        return self._graph.most_successors

    @property
    def edge_labels(self) -> Labels | None:
        return self._graph.edge_labels

    def prepare(self) -> None:
        self._graph.prepare()

    def expand(self, batch: Batch) -> tuple[int, int]:
        expanded, count = self._graph.expand(batch)
        self._canonicaliser.apply(batch.out, count)
        return expanded, count
