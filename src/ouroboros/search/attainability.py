"""Attainability, AG EF: from every reachable state, can a state be reached where a predicate holds?

The exploration keeps every edge where its target is owned. Then one backward pass: a state that satisfies predicates,
or from which such states can be reached, says so to the sources of its edges, until nobody learns anything new. All
predicates go together, a bit for each. Who owns both ends of an edge needs no message for it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ouroboros.engine.generation import Arrival
from ouroboros.engine.parents import Owners, Place
from ouroboros.engine.queue import Ends
from ouroboros.graph.base import SystemGraph
from ouroboros.graph.stepping import Marks
from ouroboros.jit import inlined, kernel, record
from ouroboros.memory import Ids, OutOfMemory, Words, reserve
from ouroboros.search.exploration import Alarm
from ouroboros.search.graph_search import GraphSearch, Stopped
from ouroboros.search.worker import Worker
from ouroboros.verdict.outcome import Finding, Outcome, Statistics

_BYTES_FOR_EDGE = 2 * (4 + 2) + 4
"""Its source and who owns that, as they arrive and by target; and its target."""
_BYTES_FOR_STATE = 8 + 8 + 4 + 1
"""Where the edges to it begin, what is known of it, and its place among those that wait."""

_ROOM = 1 << 14
"""Messages of a round: a state that has more edges gets room for them."""
_STEPS = 1 << 20
"""Edges that a worker follows between two looks at the limits."""


@record("uint64[::1], uint32[::1], uint16[::1]")
class Incoming(NamedTuple):
    """The edges that lead to the states of a worker, by target."""

    begins: Words
    sources: Ids
    owners: Owners


@record("uint64[::1], uint32[::1], uint8[::1]")
class Known(NamedTuple):
    """What is known of the states: the predicates that can be reached, and which of them have still to tell."""

    letters: Words
    waiting: Ids
    waits: Marks


@record("uint32[::1], uint64[::1], uint16[::1]")
class Told(NamedTuple):
    """Messages: to which states, what, and to whom."""

    states: Ids
    letters: Words
    owners: Owners


@kernel("void(uint32[::1], uint32[::1], uint16[::1], Incoming)")
def _sort(targets: Ids, sources: Ids, owners: Owners, incoming: Incoming) -> None:
    """Arrange edges by their targets."""
    begins = incoming.begins
    begins[:] = 0
    for target in targets:
        begins[target] += np.uint64(1)
    total = np.uint64(0)
    for state in range(begins.size):
        total += begins[state]
        begins[state] = total
    # From their ends backwards, so that in the end they are what they are called.
    for k in range(targets.size):
        begins[targets[k]] -= np.uint64(1)
        at = begins[targets[k]]
        incoming.sources[at] = sources[k]
        incoming.owners[at] = owners[k]


@inlined
def _learn(known: Known, state: np.uint32, letter: np.uint64, count: int) -> int:
    """What can be reached from a state; returns how many wait then."""
    if letter & ~known.letters[state]:
        known.letters[state] |= letter
        if not known.waits[state]:
            known.waits[state] = 1
            known.waiting[count] = state
            count += 1
    return count


@kernel("void(uint32[::1], uint64[::1], Known, int64[::1])")
def _receive(states: Ids, letters: Words, known: Known, count: Ends) -> None:
    for k in range(states.size):
        count[0] = _learn(known, states[k], letters[k], count[0])


@kernel("int64(Incoming, Known, int64[::1], Told, int64, int64)")
def _spread(incoming: Incoming, known: Known, count: Ends, told: Told, rank: int, steps: int) -> int:
    """Have states that wait tell the sources of their edges, until none does or there is no room; returns how many
    messages there are.
    """
    sent, left = np.int64(0), np.int64(steps)
    while count[0] > 0 and left > 0:
        state = known.waiting[count[0] - 1]
        first, last = incoming.begins[state], incoming.begins[state + np.uint32(1)]
        if sent + np.int64(last - first) > told.states.size:
            break
        count[0] -= 1
        known.waits[state] = 0
        letter = known.letters[state]
        for edge in range(first, last):
            if incoming.owners[edge] == rank:
                count[0] = _learn(known, incoming.sources[edge], letter, count[0])
            else:
                told.states[sent] = incoming.sources[edge]
                told.letters[sent] = letter
                told.owners[sent] = incoming.owners[edge]
                sent += 1
        left -= 1 + np.int64(last - first)
    return int(sent)


class _Search(GraphSearch):
    """One worker's share: of the edges, those that lead to its states."""

    def __init__(self, graph: SystemGraph, worker: Worker) -> None:
        super().__init__(graph, worker, "regenerate")
        self._whole_graph = graph
        most = self.budget.limit // _BYTES_FOR_EDGE
        self._targets, self._sources = reserve(most, np.uint32), reserve(most, np.uint32)
        self._owners = reserve(most, np.uint16)
        self._count = 0

    def _alarm(self) -> Alarm:
        # What goes wrong is no matter here.
        return Alarm()

    def _visit(self, sent: int, arrivals: list[Arrival]) -> None:
        for arrival in arrivals:
            first, last = self._count, self._count + arrival.targets.size
            self.budget.claim("edges", last * _BYTES_FOR_EDGE)
            self._targets[first:last] = arrival.targets
            self._sources[first:last] = arrival.sources
            self._owners[first:last] = arrival.sender
            self._count = last

    def reached(self) -> Words:
        """For each state, the predicates that can be reached from it. Collective; raises Stopped."""
        states, edges = self.explorer.store.count, self._count
        self.claim("attainability", _BYTES_FOR_STATE)
        incoming = Incoming(np.zeros(states + 1, np.uint64), np.zeros(edges, np.uint32), np.zeros(edges, np.uint16))
        _sort(self._targets[:edges], self._sources[:edges], self._owners[:edges], incoming)
        most = max(_ROOM, int(np.diff(incoming.begins.view(np.int64)).max(initial=0)))
        told = Told(np.zeros(most, np.uint32), np.zeros(most, np.uint64), np.zeros(most, np.uint16))
        known = Known(np.zeros(states, np.uint64), np.zeros(states, np.uint32), np.zeros(states, np.uint8))
        count = np.zeros(1, np.int64)
        letters = self._whole_graph.letters(self.explorer.exact.vectors(0, states))
        _receive(np.arange(states, dtype=np.uint32), letters, known, count)
        rank, size = self.exchange.rank, self.exchange.size
        while True:
            sent = _spread(incoming, known, count, told, rank, _STEPS)
            boxes = [np.flatnonzero(told.owners[:sent] == owner) for owner in range(size)]
            columns = [[part[box] for box in boxes] for part in (told.states, told.letters)]
            sums, (arrived, letters_in) = self.exchange.meet(self.numbers(int(count[0]) + sent), *columns)
            if self.heed("attainability", sums) == 0:
                return known.letters
            for told_states, told_letters in zip(arrived, letters_in, strict=True):
                _receive(told_states, told_letters, known, count)


def attainability(graph: SystemGraph, predicates: int, worker: Worker) -> Outcome:
    """One worker's part; `findings` has for each predicate a path to a state from which it is out of reach.

    The predicates are the first propositions of the graph's program.
    """
    try:
        search = _Search(graph, worker)
    except OutOfMemory:
        return Outcome(Statistics(), limit="memory")
    try:
        search.explore()
        if search.exploration.limit:
            return Outcome(search.exploration.statistics(), limit=search.exploration.limit)
        known = search.reached()
    except Stopped as stopped:
        search.save_boundary()
        return Outcome(search.exploration.statistics(), limit=stopped.limit)
    findings = tuple(_out_of_reach(search, known, bit) for bit in range(predicates))
    first = next((finding for finding in findings if finding), None)
    return Outcome(search.exploration.statistics(), first, findings=findings, exhausted=True)


def _out_of_reach(search: _Search, known: Words, bit: int) -> Finding | None:
    """A path to a nearest state that does not know a way. Collective."""
    explorer = search.explorer
    missing = np.flatnonzero((known >> np.uint64(bit)) & np.uint64(1) == 0)
    # Ids grow with the distance from the initial states.
    own = [int(missing[0]) + 1, explorer.depth_of(int(missing[0]))] if missing.size else [0, 0]
    places = search.exchange.gather(own)
    owners = np.flatnonzero(places[:, 0])
    if not owners.size:
        return None
    owner = int(owners[np.argmin(places[owners, 1])])
    return Finding("trapped", explorer.path_to(Place(owner, int(places[owner, 0]) - 1)))
