"""Making the steps of a path again, where a store keeps no states: from the initial state on, led by tags of hashes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ouroboros.graph.notes import NOTHING, Notes, new_notes
from ouroboros.graph.protocol import Batch, Graph
from ouroboros.system.layout import Vector


class Untraceable(AssertionError):
    """A path that was found cannot be found again."""


Sign = tuple[int, int]
"""What is known of a state on the path: its owner, and its tag."""


def successors_of_one(graph: Graph, vector: Vector) -> tuple[list[Vector], Notes]:
    """The successors of a state, and what was met on the way."""
    words, state = graph.words, np.array(vector, np.uint64)
    while True:
        most = max(1, graph.most_successors)
        notes = new_notes()
        out, sources = np.zeros(most * words, np.uint64), np.zeros(most, np.uint32)
        expanded, count = graph.expand(Batch(state, np.zeros(1, np.uint32), out, sources, notes))
        # If there was too little room, `most_successors` has grown.
        if expanded:
            return [tuple(row) for row in out.reshape(-1, words)[:count].tolist()], notes


def meets(graph: Graph, note: int) -> Callable[[Vector], bool]:
    """Whether expanding a state makes this note."""
    return lambda vector: bool(successors_of_one(graph, vector)[1][note] != NOTHING)


def retrace(
    graph: Graph,
    initial: Iterable[Vector],
    signs: Sequence[Sign],
    sign_of: Callable[[Vector], Sign],
    confirm: Callable[[Vector], bool],
) -> list[Vector]:
    """A path whose states have these signs, from an initial state to one that `confirm` accepts; or raises Untraceable.

    Signs are short, so that a wrong state may have the right one: then the search goes back and tries another.
    """
    seen: set[tuple[int, Vector]] = set()
    path: list[Vector] = []
    choices = [iter(list(initial))]
    while choices:
        depth = len(choices) - 1
        vector = next(choices[-1], None)
        if vector is None:
            choices.pop()
            del path[depth - 1 :]
            continue
        if (depth, vector) in seen or sign_of(vector) != signs[depth]:
            continue
        seen.add((depth, vector))
        if depth + 1 < len(signs):
            path.append(vector)
            choices.append(iter(successors_of_one(graph, vector)[0]))
        elif confirm(vector):
            return [*path, vector]
    raise Untraceable
