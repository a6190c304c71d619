"""More violations than the nearest: a second look at the states that a search has stored, each worker at its own.

Two violations are told apart by the states that their runs end in, or that the step that fails is made from. A run that
has come through the end of another one shows nothing new, so only those count that come through none: of a chain of
states that are all wrong, the first. Which runs these are, the tree says that the search has grown.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.engine.explorer import Explorer
from ouroboros.engine.limits import Limits
from ouroboros.engine.parents import Place
from ouroboros.graph.notes import NOTHING, new_notes
from ouroboros.graph.protocol import Batch, Graph
from ouroboros.search.matters import Cause, Further, Matter

_MOST_MET = 1000
"""The most states of each worker, for each thing that is asked, among which violations are chosen."""
_AT_ONCE = 256


class Met(NamedTuple):
    cause: Cause
    place: Place
    depth: int

    @property
    def length(self) -> int:
        return self.depth + self.cause.later


def further_violations(
    explorer: Explorer, further: Further, matters: Sequence[Matter], limits: Limits
) -> list[list[Met]]:
    """For each thing that is asked some violations, the nearest first; those of another kind than the others come
    before more of the same. Collective.
    """
    return [_chosen(explorer, further, met) for met in _met_by_all(explorer, further.graph, matters, limits)]


def _chosen(explorer: Explorer, further: Further, met: Sequence[Met]) -> list[Met]:
    """Collective."""
    ends = {each.place for each in met}
    passes: dict[Place, bool] = {}
    kinds: set[Hashable] = set()
    others: list[Met] = []
    more: list[Met] = []
    for each in met:
        if len(others) == further.most:
            break
        if _comes_through(explorer, each.place, ends, passes):
            continue
        kind = None
        if each.cause.kind in ("failure", "overflow"):
            (state,) = explorer.vectors_of([each.place])
            kind = further.what(each.cause.kind, state)
        (more if kind in kinds else others).append(each)
        if kind is not None:
            kinds.add(kind)
    chosen = [*others, *more][: further.most]
    return sorted(chosen, key=lambda each: each.length)


def _comes_through(explorer: Explorer, place: Place, ends: set[Place], passes: dict[Place, bool]) -> bool:
    """Whether some state before this one is an end; `passes` knows this of states that were asked about. Collective."""
    way: list[Place] = []
    found = False
    while parent := explorer.parent_of(place):
        if parent in ends or parent in passes:
            found = parent in ends or passes[parent]
            break
        way.append(parent)
        place = parent
    passes.update(dict.fromkeys(way, found))
    return found


def _met_by_all(explorer: Explorer, graph: Graph, matters: Sequence[Matter], limits: Limits) -> Iterator[list[Met]]:
    """For each thing that is asked where any worker has met it, the nearest first. Collective."""
    own = _met(explorer, graph, matters, limits)
    for matter, entries in zip(matters, own, strict=True):
        table = np.full((_MOST_MET, 3), NOTHING, np.int64)
        table[: len(entries)] = np.array(entries, np.int64).reshape(-1, 3)
        met = [
            Met(matter.causes[cause], Place(owner, identifier), depth)
            for owner, rows in enumerate(explorer.exchange.gather(table).tolist())
            for cause, identifier, depth in rows
            if cause != NOTHING
        ]
        yield sorted(met, key=lambda each: (each.length, each.place))


def _met(
    explorer: Explorer, graph: Graph, matters: Sequence[Matter], limits: Limits
) -> list[list[tuple[int, int, int]]]:
    """For each thing that is asked: by which of its causes, in which of the own states, and how far that is."""
    found: list[list[tuple[int, int, int]]] = [[] for _ in matters]
    places: list[set[int]] = [set() for _ in matters]
    look = _Look(explorer, graph)
    state = 0
    while state < explorer.next and not limits.expired:
        stop, notes = look(state)
        nexts = [stop]
        for number, matter in enumerate(matters):
            if len(found[number]) == _MOST_MET:
                continue
            for place, cause in enumerate(matter.causes):
                at = int(notes[cause.note])
                if at == NOTHING:
                    continue
                nexts.append(at + 1)
                if at not in places[number]:
                    places[number].add(at)
                    found[number].append((place, at, explorer.depth_of(at)))
        # Of each cause only the first state is known.
        state = min(nexts)
    return [entries[:_MOST_MET] for entries in found]


class _Look:
    """At some states: what is met in them first."""

    def __init__(self, explorer: Explorer, graph: Graph) -> None:
        self._explorer = explorer
        self._graph = graph
        self._room = 0

    def __call__(self, first: int) -> tuple[int, npt.NDArray[np.int64]]:
        """The state to go on with, and the notes about those before."""
        graph, words = self._graph, self._graph.words
        last = min(first + _AT_ONCE, self._explorer.next)
        vectors, identifiers = self._explorer.exact.vectors(first, last), np.arange(first, last, dtype=np.uint32)
        while True:
            most = max(_AT_ONCE, 4 * graph.most_successors)
            if most > self._room:
                self._room = most
                self._out, self._sources = np.zeros(most * words, np.uint64), np.zeros(most, np.uint32)
            notes = new_notes()
            expanded, _ = graph.expand(Batch(vectors, identifiers, self._out, self._sources, notes))
            # If there was too little room, `most_successors` has grown.
            if expanded:
                return first + expanded, notes
