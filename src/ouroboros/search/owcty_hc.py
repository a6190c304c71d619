"""OWCTY with hash compaction: Algorithms 2 and 3 of the OWCTY_HC paper (Barnat, Havlíček, Ročkai).

States are known by their hashes only, so that two may be taken for one, and share a predecessor count. What is still to
be expanded, and the accepting states from which each iteration starts (Qacc), are kept as they are. False cycles are
possible in S; so S decides only when to stop, and the verification looks for a way from an accepting state back to
itself, comparing whole states.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

import numpy as np
import numpy.typing as npt

from ouroboros.engine.generation import Arrival
from ouroboros.engine.parents import Place
from ouroboros.engine.stores.hashed import HashedStore, first_of_each
from ouroboros.engine.vectors import VectorQueue
from ouroboros.graph.protocol import AcceptingGraph
from ouroboros.jit import kernel
from ouroboros.memory import Ids, OutOfMemory, Words, reserve
from ouroboros.search.exploration import Alarm
from ouroboros.search.graph_search import GraphSearch
from ouroboros.search.worker import Worker
from ouroboros.system.layout import Vector

Marks = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int32]

# Where a state is: outside of S, or in S, and still in the queue or not.
_OUTSIDE, _WAITING, _EXPANDED = np.uint8(0), np.uint8(1), np.uint8(2)

_BYTES_FOR_STATE = 1 + 4 + 4
"""In S or not, its predecessors, the check of the last accepting state with its hash."""


@kernel("int64(uint32[::1], uint8[::1], int32[::1], boolean[::1])")
def _reach(targets: Ids, inside: Marks, predecessors: Counts, new: Mask) -> int:
    """REACHABILITY, lines 13 to 17: count a predecessor of each target, and add it to S; returns how many are new."""
    added = 0
    for k in range(targets.size):
        target = targets[k]
        predecessors[target] += 1
        new[k] = inside[target] == _OUTSIDE
        if new[k]:
            inside[target] = _WAITING
            added += 1
    return added


@kernel("int64(uint32[::1], uint8[::1], boolean[::1])")
def _enter(states: Ids, inside: Marks, chosen: Mask) -> int:
    """REACHABILITY, line 13: of those with the same hash, the first from the queue is expanded.

    What was reached is in S since it was queued; what the iteration starts from is added now. Returns how many.
    """
    added = 0
    for k in range(states.size):
        chosen[k] = inside[states[k]] != _EXPANDED
        added += inside[states[k]] == _OUTSIDE
        inside[states[k]] = _EXPANDED
    return added


@kernel("void(uint32[::1], uint8[::1], int32[::1], boolean[::1])")
def _lose(targets: Ids, inside: Marks, predecessors: Counts, affected: Mask) -> None:
    """ELIMINATION, lines 24 to 26: a predecessor of each target is gone. States outside S are ignored."""
    for k in range(targets.size):
        predecessors[targets[k]] -= 1
        affected[k] = inside[targets[k]] != _OUTSIDE


@kernel("int64(uint32[::1], uint8[::1], int32[::1], boolean[::1])")
def _remove(states: Ids, inside: Marks, predecessors: Counts, removed: Mask) -> int:
    """ELIMINATION, lines 22 and 23: remove what has no predecessor; returns how many."""
    count = 0
    for k in range(states.size):
        removed[k] = inside[states[k]] != _OUTSIDE and predecessors[states[k]] == 0
        if removed[k]:
            inside[states[k]] = _OUTSIDE
            count += 1
    return count


@kernel("void(uint32[::1], uint32[::1], uint32[::1], uint8[::1])")
def _drop_repeated(targets: Ids, checks: Ids, last: Ids, accepting: Marks) -> None:
    """Unmark an accepting state that was queued last for its hash: one copy is enough. Others with its hash stay."""
    for k in range(targets.size):
        if accepting[k]:
            check = checks[k] | np.uint32(1)
            if last[targets[k]] == check:
                accepting[k] = 0
            last[targets[k]] = check


class OwctyHc(GraphSearch):
    """One worker's share of the algorithm."""

    def __init__(
        self,
        graph: AcceptingGraph,
        worker: Worker,
    ) -> None:
        """Exploration ends at any accepting state, where that is enough for a cycle."""
        super().__init__(graph, worker, "regenerate")
        words, budget = graph.words, worker.budget
        self._accepting_graph = graph
        self.store = cast(HashedStore, self.explorer.store)
        self.looping: Vector | None = None
        """An accepting state of this worker with an edge to itself."""
        self._any_accepting = graph.ends_accepted
        self.suspect = -1
        """An accepting state that is enough for a cycle."""
        self._known = 0
        self._words = words
        # Rows of a queue: the id of a state, and the state.
        self._accepting = VectorQueue(words + 1, budget, "accepting states")
        self._starts = VectorQueue(words + 1, budget, "starts")
        self._queue = VectorQueue(words + 1, budget, "queue")
        self._inside = reserve(self.explorer.most_states, np.uint8)
        self._predecessors = reserve(self.explorer.most_states, np.int32)
        self._last = reserve(self.explorer.most_states, np.uint32)
        self._size = 0
        """Of this worker's share of S."""

    # INITIALIZE ---------------------------------------------------------------------------------------------------

    def _alarm(self) -> Alarm:
        alarm = super()._alarm()
        if self._known == 0 and self.store.count:
            initial = np.array([vector for vector in self.graph.initial if self.explorer.is_own(vector)], np.uint64)
            self._note_accepting(initial.reshape(-1), self.store.number(initial.reshape(-1), len(initial)))
        return Alarm(alarm.now or self.suspect >= 0 or self.looping is not None, alarm.after_level)

    def _visit(self, sent: int, arrivals: list[Arrival]) -> None:
        for arrival in arrivals:
            if arrival.vectors is None:
                # There was no memory for what arrived.
                continue
            vectors = self._rows(arrival)
            accepting = self._mark(vectors)
            if arrival.sender == self.exchange.rank:
                self._note_loops(vectors, accepting, self.store.expanding(arrival.sources))
            self._note_accepting(vectors.reshape(-1), arrival.targets)

    def _note_accepting(self, vectors: Words, targets: Ids) -> None:
        """INITIALIZE, line 8: queue the new accepting states."""
        rows = vectors.reshape(-1, self._words)
        new = first_of_each(targets, self._known)
        chosen = np.logical_and(new, self._mark(rows))
        if chosen.any() and self._any_accepting and self.suspect < 0:
            self.suspect = int(targets[chosen][0])
        self._known += int(np.count_nonzero(new))
        self._append(self._accepting, targets[chosen], rows[chosen])

    def _rows(self, arrival: Arrival) -> Words:
        assert arrival.vectors is not None
        return arrival.vectors[: arrival.targets.size * self._words].reshape(-1, self._words)

    def _mark(self, rows: Words) -> Marks:
        marks = np.zeros(len(rows), np.uint8)
        self._accepting_graph.mark_accepting(np.ascontiguousarray(rows).reshape(-1), marks)
        return marks

    def _note_loops(self, targets: Words, accepting: Marks, sources: Words) -> None:
        """Accepting states with an edge to themselves: whole states are compared."""
        loops = np.flatnonzero(np.logical_and(accepting, (targets == sources).all(axis=1)))
        if loops.size:
            self.looping = tuple(targets[loops[0]].tolist())

    def _append(self, queue: VectorQueue, states: Ids, vectors: Words) -> None:
        rows = np.empty((len(vectors), self._words + 1), np.uint64)
        rows[:, 0] = states
        rows[:, 1:] = vectors
        queue.append(rows.reshape(-1))

    def suspect_place(self) -> Place | None:
        """The accepting state that is enough for a cycle, on which the workers agree. Collective."""
        offers = self.exchange.gather(self.suspect + 1)
        owners = np.flatnonzero(offers)
        return Place(int(owners[0]), int(offers[owners[0]]) - 1) if owners.size else None

    # The main loop ------------------------------------------------------------------------------------------------

    def run(self) -> Vector | None:
        """After the exploration: an accepting state on a cycle, if one is found. Collective."""
        self.store.exploring = False
        states = self.store.count
        self.claim("predecessors", _BYTES_FOR_STATE)
        self._inside[:states] = _EXPANDED
        self._size = states
        left = self.total(self._size)
        while True:
            before = left
            self._reachability()
            looping = self.agreed_loop()
            if looping:
                return looping
            left = self._elimination()
            self.iterations += 1
            if left == 0:
                # Another iteration would start from nothing, and leave nothing to verify.
                return None
            if left >= before:
                return self._verification()

    def agreed_loop(self) -> Vector | None:
        """The accepting state with an edge to itself on which the workers agree. Collective."""
        owners = np.flatnonzero(self.exchange.gather(self.looping is not None))
        return self._broadcast(int(owners[0]), self.looping) if owners.size else None

    def _broadcast(self, owner: int, vector: Vector | None) -> Vector:
        message = np.zeros(self._words, np.uint64)
        if owner == self.exchange.rank:
            assert vector is not None
            message[:] = vector
        return tuple(self.exchange.total(message.view(np.int64)).view(np.uint64).tolist())

    def _start_from_accepting(self) -> None:
        """OWCTY_HC, line 5: move the states of Qacc that belong to S into the queue."""
        while self._accepting.count:
            rows = self._accepting.peek(self._accepting.count).reshape(-1, self._words + 1)
            belonging = rows[self._inside[rows[:, 0]] != _OUTSIDE].reshape(-1)
            self._queue.append(belonging)
            self._starts.append(belonging)
            self._accepting.drop(len(rows))

    def _start_from_orphans(self) -> None:
        """OWCTY_HC, line 7. What has been reached has a predecessor; so of all accepting states in S only those can go
        first that the iteration has started from.
        """
        while self._starts.count:
            rows = self._starts.peek(self._starts.count).reshape(-1, self._words + 1)
            self._queue.append(rows[self._predecessors[rows[:, 0]] == 0].reshape(-1))
            self._starts.drop(len(rows))

    def _reachability(self) -> None:
        states = self.store.count
        self._secure(self._start_from_accepting)
        self._inside[:states] = _OUTSIDE
        self._predecessors[:states] = 0
        self._last[:states] = 0
        self._size = 0
        self._propagate("reachability", self._enter, self._receive_reached)
        self.end_phase("reachability", self.total(self._size))

    def _enter(self, states: Ids) -> Mask:
        chosen = np.zeros(states.size, np.bool_)
        self._size += _enter(states, self._inside, chosen)
        return chosen

    def _receive_reached(self, arrival: Arrival, expanded: Words) -> None:
        vectors, targets = self._rows(arrival), arrival.targets
        new = np.zeros(targets.size, np.bool_)
        self._size += _reach(targets, self._inside, self._predecessors, new)
        self._append(self._queue, targets[new], vectors[new])
        accepting = self._mark(vectors)
        if arrival.sender == self.exchange.rank:
            self._note_loops(vectors, accepting, expanded[arrival.sources])
        _drop_repeated(targets, self.store.hash(vectors.reshape(-1), targets.size), self._last, accepting)
        chosen = accepting.astype(np.bool_)
        self._append(self._accepting, targets[chosen], vectors[chosen])

    def _elimination(self) -> int:
        self._secure(self._start_from_orphans)
        self._propagate("elimination", self._leave, self._receive_lost)
        left = self.total(self._size)
        self.end_phase("elimination", left)
        return left

    def _leave(self, states: Ids) -> Mask:
        removed = np.zeros(states.size, np.bool_)
        self._size -= _remove(states, self._inside, self._predecessors, removed)
        return removed

    def _receive_lost(self, arrival: Arrival, expanded: Words) -> None:
        affected = np.zeros(arrival.targets.size, np.bool_)
        _lose(arrival.targets, self._inside, self._predecessors, affected)
        self._append(self._queue, arrival.targets[affected], self._rows(arrival)[affected])

    def _propagate(self, phase: str, select: Callable[[Ids], Mask], receive: Callable[[Arrival, Words], None]) -> None:
        """Take states from the queue, expand those that are selected, and have what arrives received. Collective."""
        pending = np.zeros((0, self._words), np.uint64)
        generation = self.explorer.generation
        while True:
            while not len(pending) and self._queue.count and not self.out_of_memory:
                rows = self._queue.peek(generation.room).reshape(-1, self._words + 1)
                pending = np.ascontiguousarray(rows[select(rows[:, 0].astype(np.uint32)), 1:])
                self._attempt(partial(self._queue.drop, len(rows)))
            if self.watch(phase, len(pending)) == 0:
                return
            positions = np.arange(len(pending), dtype=np.uint32)
            try:
                done = generation.fill(pending.reshape(-1), positions)
                arrivals = generation.deliver()
                self.budget.claim("predecessors", self.store.count * _BYTES_FOR_STATE)
                for arrival in arrivals:
                    receive(arrival, pending)
            except OutOfMemory as lack:
                # At the next meeting all stop.
                self.out_of_memory = lack.weight
                done = 0
            pending = pending[done:]

    def _attempt(self, step: Callable[[], None]) -> None:
        """A worker without memory, or disk, says so at the next meeting."""
        try:
            step()
        except OutOfMemory as lack:
            self.out_of_memory = lack.weight

    # VERIFICATION -------------------------------------------------------------------------------------------------

    def _verification(self) -> Vector | None:
        """An accepting state of Qacc from which there is a way back to itself. Collective."""
        self._inside[: self.store.count] = _OUTSIDE
        while True:
            own: Vector | None = None
            try:
                own = self._next_candidate()
            except OutOfMemory as lack:
                self.out_of_memory = lack.weight
            self.watch("verification", 0)
            owners = np.flatnonzero(self.exchange.gather(own is not None))
            if not owners.size:
                self.end_phase("verification", 0)
                return None
            start = self._broadcast(int(owners[0]), own)
            if int(owners[0]) == self.exchange.rank:
                row = self._accepting.peek(1).copy()
                self._attempt(partial(self._queue.append, row))
                self._attempt(partial(self._accepting.drop, 1))
            if self._comes_back(np.array(start, np.uint64)):
                self.end_phase("verification", 1)
                return start

    def _next_candidate(self) -> Vector | None:
        """The first state in Qacc that no search has seen."""
        while self._accepting.count:
            row = self._accepting.peek(1)
            if not self._inside[row[0]]:
                return tuple(row[1:].tolist())
            self._accepting.drop(1)
        return None

    def _comes_back(self, start: Words) -> bool:
        """Whether there is a way from a state, which the queue of its owner has, to itself. Collective."""
        found = False

        def receive(arrival: Arrival, expanded: Words) -> None:
            nonlocal found
            vectors, targets = self._rows(arrival), arrival.targets
            found = found or bool((vectors == start).all(axis=1).any())
            new = np.zeros(targets.size, np.bool_)
            _reach(targets, self._inside, self._predecessors, new)
            self._append(self._queue, targets[new], vectors[new])

        # The start itself is not in S: only a way back leads there.
        self._propagate("verification", lambda states: np.ones(states.size, np.bool_), receive)
        return self.total(found) > 0
