"""Fair cycles by rounds of action propagation: Algorithm 1 of the PReach paper, on a graph that is explored already.

`MaybeFair`, here the states that are *alive*, begins as the pending states: those that a start state reaches by alive
states. A state's bits say which fair actions were taken, or, if weakly fair, disabled, on some way to it through alive
states. In each round the bits travel along the edges until nothing changes; then every state dies that enables a fair
action whose bit it has not got. What is alive when nobody dies any more has a fair cycle, and there is none without.

A state that has no alive predecessor but itself is on no cycle but those of its own edges to itself. If these do not
take all that is enabled in it, it need not wait for the end of a round: it dies as soon as the last other predecessor
does. Without stuttering a state on no cycle may have all bits that it needs; but the first of these has no predecessor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.checkpoint.graph import Beside
from ouroboros.engine.generation import Arrival
from ouroboros.engine.queue import Ends, Queue, push
from ouroboros.errors import SelfCheckError
from ouroboros.graph.fair import CONTENT, LOOPS
from ouroboros.graph.fair_bits import BITS
from ouroboros.graph.protocol import Labels
from ouroboros.graph.stepping import Marks
from ouroboros.jit import kernel, prefetch, record
from ouroboros.memory import Ids, Words, reserve
from ouroboros.search.fair_search import FairSearch
from ouroboros.search.propagation import propagate
from ouroboros.search.snapshots import SnapshotQueue
from ouroboros.verdict.outcome import FairNumbers

# What the first word of a state's bits says besides. In a message it says the same of the source of an edge.
_ALIVE = np.uint64(1 << 63)
_QUEUED = np.uint64(1 << 62)
_VISITED = np.uint64(1 << 61)  # in this round
_COUNTED = np.uint64(1 << 60)  # its successors know that they have it as a predecessor
_DEAD = np.uint64(1 << 59)  # pending, but no more alive
_REACHED = np.uint64(1 << 58)  # from an alive state in this round
_FLAGS = np.uint64(56)  # below all of these
_FAIR = np.uint64((1 << BITS) - 1)
_NONE = np.uint64(0)
_AHEAD = 24

# The marks of a state.
P, Q = np.uint8(1), np.uint8(2)
START = np.uint8(16)
"""Where pending begins: p holds, and q does not; or it is an initial state."""
KERNEL = np.uint8(32)
"""Every alive state can be reached by alive states from one of these."""
PENDING = np.uint8(64)


@dataclass(frozen=True)
class Optimisations:
    """Section V of the paper; each can be done without, to see what it is worth."""

    saved_expansions: bool = True
    """A state that waits is not queued again: its bits grow where they are."""
    dynamic_kernel: bool = True
    """A round begins with the states that have lost a predecessor, not with all start states, dead or alive."""
    predecessor_counting: bool = True
    """A state that is not content with itself dies as soon as its last other alive predecessor does."""


ALL = Optimisations()


@kernel("UniTuple(int64, 2)(uint8[::1], uint64[::1])")
def _mark(marks: Marks, entries: Words) -> tuple[int, int]:
    """Pending begins where p holds and q does not, and ends where q does; returns the numbers of both kinds."""
    starts = ends = 0
    for state in range(entries.size):
        if marks[state] & Q:
            ends += 1
            continue
        entries[state] = _ALIVE
        if marks[state] & P:
            marks[state] |= START | KERNEL
            starts += 1
    return starts, ends


@kernel("void(uint64[:, ::1], uint64[:, ::1], uint64[::1], uint8[::1], boolean, uint32[::1], int64[::1])")
def _begin(entries: Words, enabled: Words, weak: Words, marks: Marks, dynamic: bool, ring: Ids, ends: Ends) -> None:
    """A new round: an alive state has the bits of the weakly fair actions that are disabled in it. Queue the kernel."""
    for state in range(entries.shape[1]):
        flags = entries[0, state] & (_ALIVE | _COUNTED if dynamic else _ALIVE | _DEAD | _COUNTED)
        for w in range(entries.shape[0]):
            entries[w, state] = weak[w] & ~enabled[w, state] if flags & _ALIVE else _NONE
        if flags & (_ALIVE | _DEAD) != _NONE and marks[state] & (KERNEL if dynamic else START):
            flags |= _QUEUED | _VISITED
            push(ring, ends, np.uint32(state))
        entries[0, state] |= flags


@record("uint64[::1], uint32[::1], boolean, boolean")
class First(NamedTuple):
    """What is known of the states in the first word."""

    entries: Words
    counts: Ids
    """Of predecessors that are alive."""
    counting: bool
    """Whether these are counted in this round."""
    saved: bool
    """Whether a state that waits is not queued again."""


@kernel(
    "void(uint32[::1], uint32[::1], boolean, uint16[::1], uint64[::1], uint64[::1], First, uint32[::1], int64[::1])"
)
def _receive(
    targets: Ids,
    sources: Ids,
    own: bool,
    labels: Labels,
    arrived: Words,
    taken: Words,
    known: First,
    ring: Ids,
    ends: Ends,
) -> None:
    """Lines 18 to 29, for the first word: the target of an edge gets the bits of its source and of the edge itself."""
    entries, counts, counting, saved = known
    for k in range(targets.size):
        if k + _AHEAD < targets.size:
            prefetch(entries, np.int64(targets[k + _AHEAD]))
        target = targets[k]
        entry = entries[target]
        if entry & (_ALIVE | _DEAD) == _NONE:
            continue
        if counting and arrived[k] & _COUNTED == _NONE and not (own and sources[k] == target):
            counts[target] += np.uint32(1)
        after = entry | _VISITED
        if entry & arrived[k] & _ALIVE:
            after |= (arrived[k] & _FAIR) | taken[labels[k]] | _REACHED
        if (after ^ entry) & ~_REACHED:
            if not saved or after & _QUEUED == _NONE:
                push(ring, ends, target)
            after |= _QUEUED
        entries[target] = after


@kernel(
    "void(uint32[::1], uint16[::1], uint64[::1], uint64[::1], uint64[::1], uint64[::1], uint64[::1], boolean,"
    " uint32[::1], int64[::1])"
)
def _receive_more(
    targets: Ids,
    labels: Labels,
    flags: Words,
    arrived: Words,
    taken: Words,
    entries: Words,
    further: Words,
    saved: bool,
    ring: Ids,
    ends: Ends,
) -> None:
    """The same for one of the further words."""
    for k in range(targets.size):
        target = targets[k]
        if entries[target] & flags[k] & _ALIVE == _NONE:
            continue
        after = further[target] | arrived[k] | taken[labels[k]]
        if after != further[target]:
            further[target] = after
            if not saved or entries[target] & _QUEUED == _NONE:
                push(ring, ends, target)
            entries[target] |= _QUEUED


@kernel("void(uint32[::1], uint64[::1])")
def _leave(states: Ids, entries: Words) -> None:
    """These have left the queue, and have told their successors of themselves."""
    for state in states:
        entries[state] = (entries[state] & ~_QUEUED) | _COUNTED


@kernel("UniTuple(int64, 3)(uint64[:, ::1], uint64[:, ::1], uint8[::1], boolean, boolean, uint32[::1], int64[::1])")
def _judge(
    entries: Words, enabled: Words, marks: Marks, stutters: bool, first: bool, ring: Ids, ends: Ends
) -> tuple[int, int, int]:
    """Lines 31 to 35: states die, and are queued, that enable what they have no bit of.

    Returns how many are alive, how many have died, and how many alive ones the round has not visited. After the first
    round these are not pending, and not alive either.
    """
    alive = died = missed = 0
    for state in range(entries.shape[1]):
        entry = entries[0, state]
        if entry & _ALIVE == _NONE:
            continue
        if entry & _VISITED == _NONE:
            if first:
                entries[0, state] = _NONE
            else:
                missed += 1
            continue
        if first:
            marks[state] |= PENDING
        lacks = _NONE if stutters or entry & _REACHED else _ALIVE
        for w in range(entries.shape[0]):
            lacks |= enabled[w, state] & ~entries[w, state]
        if lacks:
            entries[0, state] = (entry & _COUNTED) | _DEAD
            push(ring, ends, np.uint32(state))
            died += 1
        else:
            alive += 1
    return alive, died, missed


@kernel("int64(uint32[::1], uint64[:, ::1], uint8[::1], uint32[::1], boolean, boolean, uint32[::1], int64[::1])")
def _bereave(
    targets: Ids,
    entries: Words,
    marks: Marks,
    counts: Ids,
    counting: bool,
    stutters: bool,
    ring: Ids,
    ends: Ends,
) -> int:
    """A predecessor of each target has died; returns how many die for it."""
    died = 0
    for k in range(targets.size):
        target = targets[k]
        if entries[0, target] & _ALIVE == _NONE:
            continue
        marks[target] |= KERNEL
        if not counting:
            continue
        counts[target] -= np.uint32(1)
        if counts[target] > 0:
            continue
        if marks[target] & CONTENT == 0 or not (stutters or marks[target] & LOOPS):
            entries[0, target] = (entries[0, target] & _COUNTED) | _DEAD
            push(ring, ends, target)
            died += 1
    return died


class FairRounds:
    """One worker's share of the algorithm."""

    def __init__(self, search: FairSearch, stutters: bool, optimisations: Optimisations) -> None:
        """With `stutters`, every state has an edge to itself, which is not among the edges."""
        bits = search.fair.bits
        states = search.explorer.store.count
        self.search = search
        self.bits = bits
        self.optimisations = optimisations
        self.stutters = stutters
        search.claim("fairness", bits.words * 8 + 4 + 4)
        # Only now: the edges are given up rather than that there be no memory for the algorithm.
        self.edges = search.edges(payloads=bits.words)
        self.entries = reserve(bits.words * states, np.uint64)[: bits.words * states].reshape(bits.words, states)
        self.counts = reserve(states, np.uint32)[:states]
        self.enabled = search.fair.enabled
        self.marks = search.fair.marks[:states]
        self.queue = Queue(max(1, states))
        self.begins_at_p = False
        self.starts = self.ends = self.pending = self.expansions = 0
        self._alive = self._died = 0
        self._taken = [np.ascontiguousarray(bits.taken[:, word]) for word in range(bits.words)]

    def begin_at_p(self) -> None:
        """Pending are the states on a way from p to q."""
        self.begins_at_p = True
        self.starts, self.ends = _mark(self.marks, self.entries[0])

    def begin_at(self, states: int) -> None:
        """Pending is all that the first states reach."""
        self.entries[0] = _ALIVE
        self.marks[:states] |= START | KERNEL
        self.starts = states

    def run(self) -> bool:
        """Let states die until nobody does; True if some are alive then: there is a fair cycle among them."""
        waiting, payloads = self.queue, tuple(self.entries)
        if not self.optimisations.saved_expansions:
            snapshots = SnapshotQueue(self.search, self.entries, self.bits.count)
            waiting, payloads = snapshots, tuple(snapshots.sending)
        first = not self._restore()
        while True:
            self._propagate_actions(waiting, payloads, first)
            alive, died = self._delete(first)
            self.search.iterations += 1
            if alive == 0 or died == 0:
                return alive > 0
            first = False
            self.search.boundary("fair", 6, self._beside)

    def _restore(self) -> bool:
        """Go on from a checkpoint, if there is one of a later round than the first."""
        restored = self.search.restored("fair")
        if restored:
            columns, sums = restored.beside.columns, restored.beside.sums
            self.entries[:] = 0
            self.entries[0] = columns["flags"].astype(np.uint64) << _FLAGS
            self.counts[:] = columns["counts"]
            self.marks[:] = columns["marks"]
            self.starts, self.ends = sums.get("starts", 0), sums.get("ends", 0)
            self.pending, self.expansions = sums.get("pending", 0), sums.get("expansions", 0)
            self._alive = int(np.count_nonzero(self.candidates()))
        return restored is not None

    def _beside(self) -> Beside:
        """Of a state, only who is alive, who has died, and who is counted outlasts a round."""
        flags = (self.entries[0] & (_ALIVE | _DEAD | _COUNTED)) >> _FLAGS
        columns = {"flags": flags.astype(np.uint8), "counts": self.counts.copy(), "marks": self.marks.copy()}
        sums = {"starts": self.starts, "ends": self.ends, "pending": self.pending, "expansions": self.expansions}
        return Beside(columns, sums)

    def _propagate_actions(self, queue: Queue, payloads: tuple[Words, ...], first: bool) -> None:
        dynamic, saved = self.optimisations.dynamic_kernel, self.optimisations.saved_expansions
        _begin(self.entries, self.enabled, self.bits.weak, self.marks, dynamic, queue.ring, queue.ends)
        counting = first and self.optimisations.predecessor_counting

        known = First(self.entries[0], self.counts, counting, saved)

        def receive(arrival: Arrival) -> None:
            targets, labels, arrived = arrival.targets, arrival.labels, arrival.payloads
            _receive(
                targets, arrival.sources, arrival.sender == self.search.exchange.rank, labels, arrived[0],
                self._taken[0], known, queue.ring, queue.ends,
            )  # fmt: skip
            for word in range(1, self.bits.words):
                _receive_more(
                    targets, labels, arrived[0], arrived[word], self._taken[word], self.entries[0],
                    self.entries[word], saved, queue.ring, queue.ends,
                )  # fmt: skip

        def leave(states: int) -> None:
            self.expansions += states
            _leave(queue.peek(states), self.entries[0])

        propagate(self.search, "action propagation", self.edges, queue, receive, payloads, leave)
        if first:
            self._alive = int(np.count_nonzero(self.entries[0] & _VISITED))
        self.search.end_phase("action propagation", self.search.total(self._alive))

    def _delete(self, first: bool) -> tuple[int, int]:
        """Returns how many are alive, and how many have died, over all workers."""
        queue, counting = self.queue, self.optimisations.predecessor_counting
        self._alive, self._died, missed = _judge(
            self.entries, self.enabled, self.marks, self.stutters, first, queue.ring, queue.ends
        )
        if self.search.total(missed):
            raise SelfCheckError("a round of action propagation has not come to all states")
        if first:
            self.pending = self._alive + self._died

        def receive(arrival: Arrival) -> None:
            died = _bereave(
                arrival.targets, self.entries, self.marks, self.counts, counting, self.stutters, queue.ring, queue.ends
            )  # fmt: skip
            self._alive -= died
            self._died += died

        propagate(self.search, "deletion", self.edges, queue, receive)
        alive = self.search.total(self._alive)
        self.search.end_phase("deletion", alive)
        return alive, self.search.total(self._died)

    def candidates(self) -> npt.NDArray[np.bool_]:
        """The states that are alive."""
        alive: npt.NDArray[np.bool_] = self.entries[0] & _ALIVE != 0
        return alive

    def numbers(self) -> FairNumbers:
        """Collective."""
        own = np.array([self.starts, self.pending, self.ends, self.expansions], np.int64)
        return FairNumbers(*map(int, self.search.exchange.total(own)))
