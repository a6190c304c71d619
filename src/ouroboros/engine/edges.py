"""Sending values along the edges of an explored graph: edges that were kept, or edges made again from their states.

A vertex program sends payloads from states to the owners of their successors, which combine them into their own
arrays. It cannot tell how the edges came about.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from ouroboros.engine.exchange.base import NO_NUMBERS, Exchange, Totals
from ouroboros.engine.explorer import Explorer
from ouroboros.engine.generation import NO_LABELS, Arrival
from ouroboros.engine.outbox import Outbox, loaded
from ouroboros.engine.parents import Owners
from ouroboros.graph.protocol import Labels
from ouroboros.jit import inlined, kernel, prefetch
from ouroboros.memory import Budget, Ids, OutOfMemory, Words, reserve

_ROOM = 1 << 15

# States between asking for a cache line and needing it: that of a state's first edge, and before that of its offset.
_AHEAD = np.uint64(16)
_FAR_AHEAD = np.uint64(32)

_NONE, _ONE = np.uint64(0), np.uint64(1)


class Edges(Protocol):
    """A round is a call of `fill` and then of `deliver`."""

    @property
    def sent(self) -> int:
        """Edges from here in this round."""

    @property
    def sums(self) -> Totals:
        """The numbers of the round's meeting."""

    def fill(self, states: Ids) -> int:
        """Follow all edges of the first of these states, as many as fit; returns how many states these were."""

    def deliver(self, payloads: tuple[Words, ...] = (), numbers: Totals = NO_NUMBERS) -> list[Arrival]:
        """Send along these edges; returns the edges that arrived here. Collective."""


@kernel("void(uint32[::1], int64, int64, int64, uint64[::1])")
def _append_offsets(sources: Ids, count: int, first: int, expanded: int, offsets: Words) -> None:
    """Edges stand in the order of their sources: note where those of each expanded state end."""
    k = 0
    end = offsets[first]
    for state in range(first, first + expanded):
        while k < count and sources[k] == state:
            k += 1
        offsets[state + 1] = end + np.uint64(k)


@kernel("void(uint16[::1], int64, uint32[::1], int64[::1], uint32[::1], uint16[::1])")
def _append_replies(
    owners: Owners, count: int, replies: Ids, starts: npt.NDArray[np.int64], targets: Ids, target_owners: Owners
) -> None:
    """Each owner has answered with ids, in the order in which it was asked."""
    for k in range(count):
        owner = owners[k]
        targets[k] = replies[starts[owner]]
        target_owners[k] = owner
        starts[owner] += 1


@inlined
def _fetch(
    states: Ids, i: int, offsets: Words, targets: Ids, owned: bool, owners: Owners, labelled: bool, labels: Labels
) -> None:
    """States stand in a queue in no order: have what will be needed of a later one on its way."""
    count = np.uint64(states.size)
    if i + _FAR_AHEAD < count:
        prefetch(offsets, np.int64(states[i + _FAR_AHEAD]))
    if i + _AHEAD < count:
        first = np.int64(offsets[states[i + _AHEAD]])
        prefetch(targets, first)
        if owned:
            prefetch(owners, first)
        if labelled:
            prefetch(labels, first)


@kernel(
    "UniTuple(int64, 2)(uint32[::1], uint64[::1], uint32[::1], uint32[::1], uint32[::1], boolean, uint16[::1],"
    " uint16[::1])"
)
def _follow_alone(
    states: Ids,
    offsets: Words,
    targets: Ids,
    targets_out: Ids,
    sources: Ids,
    labelled: bool,
    labels: Labels,
    labels_out: Labels,
) -> tuple[int, int]:
    """As below, for one worker: there is one box."""
    count = _NONE
    for i in range(np.uint64(states.size)):
        _fetch(states, i, offsets, targets, False, labels, labelled, labels)
        state = states[i]
        first, last = offsets[state], offsets[state + _ONE]
        if count + last - first > np.uint64(sources.size):
            return int(i), int(count)
        for edge in range(first, last):
            targets_out[count] = targets[edge]
            sources[count] = state
            if labelled:
                labels_out[count] = labels[edge]
            count += _ONE
    return states.size, int(count)


@kernel(
    "UniTuple(int64, 2)(uint32[::1], uint64[::1], uint32[::1], uint16[::1],"
    " uint32[:, ::1], uint32[:, ::1], int64[::1], boolean, uint16[::1], uint16[:, ::1])"
)
def _follow(
    states: Ids,
    offsets: Words,
    targets: Ids,
    target_owners: Owners,
    target_boxes: Ids,
    source_boxes: Ids,
    filled: npt.NDArray[np.int64],
    labelled: bool,
    labels: Labels,
    label_boxes: Labels,
) -> tuple[int, int]:
    """Put the targets of the states' edges into the boxes of their owners; returns states done and edges."""
    count = _NONE
    room = np.uint64(target_boxes.shape[1])
    for i in range(np.uint64(states.size)):
        _fetch(states, i, offsets, targets, True, target_owners, labelled, labels)
        state = states[i]
        first, last = offsets[state], offsets[state + _ONE]
        if count + last - first > room:
            return int(i), int(count)
        for edge in range(first, last):
            owner = target_owners[edge]
            at = np.uint64(filled[owner])
            target_boxes[owner, at] = targets[edge]
            source_boxes[owner, at] = state
            if labelled:
                label_boxes[owner, at] = labels[edge]
            filled[owner] = np.int64(at + _ONE)
        count += last - first
    return states.size, int(count)


class KeptEdges:
    """The edges of this worker's states as arrays of ids, in the order of exploration."""

    def __init__(self, explorer: Explorer, budget: Budget) -> None:
        exchange = explorer.exchange
        self.dropped = False
        alone = exchange.size == 1
        most = budget.limit // 4
        self.count = 0
        self.sent = 0
        self.sums = NO_NUMBERS
        self._exchange: Exchange = exchange
        self._budget = budget
        self._explorer = explorer
        self._offsets = reserve(explorer.most_states + 1, np.uint64)
        self._targets = reserve(most, np.uint32)
        self._owners = reserve(1 if alone else most, np.uint16)
        self._labelled = explorer.generation.labelled
        self._labels = reserve(most if self._labelled else 1, np.uint16)
        self._edge_bytes = (4 if alone else 6) + (2 if self._labelled else 0)
        self._use_boxes(max(_ROOM, explorer.generation.most_successors))
        self._states = 0

    def _use_boxes(self, room: int) -> None:
        alone = self._exchange.size == 1
        self._room = room
        self._outbox = Outbox(self._exchange, room, 1, np.uint32, self._budget, "edge boxes", self._labelled)
        self._followed = np.zeros(room if alone else 0, np.uint32)
        self._followed_sources = np.zeros(room if alone else 0, np.uint32)
        self._followed_labels = np.zeros(room if alone and self._labelled else 0, np.uint16)

    def append(self, sent: int, arrivals: list[Arrival]) -> None:
        """Keep the edges of a round of exploration. Collective, also for a worker that has dropped its edges."""
        expanded = self._explorer.next - self._states
        generation = self._explorer.generation
        alone = self._exchange.size == 1
        if not alone:
            (replies,) = self._exchange.swap(generation.answers)
            if sum(reply.size for reply in replies) != sent:
                # A worker that is out of memory gives no answer.
                raise OutOfMemory("edges")
        if not self.dropped:
            self._claim((self.count + sent) * self._edge_bytes + self._explorer.next * 8)
        if self.dropped:
            return
        if self.count + sent > self._targets.size:
            raise OutOfMemory("edges")
        _append_offsets(generation.sources, sent, self._states, expanded, self._offsets)
        targets = self._targets[self.count : self.count + sent]
        if self._labelled:
            self._labels[self.count : self.count + sent] = generation.labels[:sent]
        if alone:
            targets[:] = arrivals[0].targets
        else:
            starts = np.cumsum([0, *(reply.size for reply in replies)], dtype=np.int64)
            owners = self._owners[self.count : self.count + sent]
            _append_replies(generation.owners, sent, np.concatenate(replies), starts, targets, owners)
        self.count += sent
        self._states = self._explorer.next

    def _claim(self, size: int) -> None:
        try:
            self._budget.claim("edges", size)
        except OutOfMemory:
            # The edges themselves may have been what was given up to make room.
            if not self.dropped:
                raise

    def prepare(self, payloads: int) -> None:
        """Have memory for sending so many payloads, and for all edges of any state."""
        if self._room < self._explorer.generation.most_successors:
            self._use_boxes(self._explorer.generation.room)
        self._outbox.prepare(payloads)

    def drop(self) -> None:
        """Give the memory back."""
        self.dropped = True
        self._offsets = reserve(1, np.uint64)
        self._targets, self._owners, self._labels = reserve(1, np.uint32), reserve(1, np.uint16), reserve(1, np.uint16)
        self._budget.claim("edges", 0)

    def fill(self, states: Ids) -> int:
        outbox = self._outbox
        if self._exchange.size == 1:
            done, self.sent = _follow_alone(
                states,
                self._offsets,
                self._targets,
                self._followed,
                self._followed_sources,
                self._labelled,
                self._labels,
                self._followed_labels,
            )
            return done
        outbox.turn()
        done, self.sent = _follow(
            states,
            self._offsets,
            self._targets,
            self._owners,
            outbox.side.boxes,
            outbox.side.sources,
            outbox.filled,
            self._labelled,
            self._labels,
            outbox.side.labels,
        )
        return done

    def deliver(self, payloads: tuple[Words, ...] = (), numbers: Totals = NO_NUMBERS) -> list[Arrival]:
        if self._exchange.size == 1:
            self.sums = numbers
            own = self._followed_sources[: self.sent]
            carried = tuple(loaded(payload, own) for payload in payloads)
            return [Arrival(0, self._followed[: self.sent], own, carried, self._followed_labels[: self.sent])]
        self.sums, (targets, sources, *columns) = self._outbox.send(payloads, numbers)
        labels = columns.pop(0) if self._labelled else [NO_LABELS] * self._exchange.size
        return [
            Arrival(
                sender, targets[sender], sources[sender], tuple(column[sender] for column in columns), labels[sender]
            )
            for sender in range(self._exchange.size)
        ]


class RegeneratedEdges:
    """The edges of this worker's states, made from the states whenever they are needed.

    Where the exploration ended early, they may lead to states that are new, and are stored then.
    """

    def __init__(self, explorer: Explorer, most_successors: int) -> None:
        self._explorer = explorer
        self._batch = max(1, explorer.generation.room // most_successors)

    def prepare(self, payloads: int) -> None:
        """Have memory for sending so many payloads."""
        self._explorer.generation.prepare(payloads)

    @property
    def sent(self) -> int:
        return self._explorer.generation.sent

    @property
    def sums(self) -> Totals:
        return self._explorer.generation.sums

    def fill(self, states: Ids) -> int:
        batch = states[: self._batch]
        return self._explorer.generation.fill(self._explorer.exact.gather(batch), batch)

    def deliver(self, payloads: tuple[Words, ...] = (), numbers: Totals = NO_NUMBERS) -> list[Arrival]:
        return self._explorer.generation.deliver(payloads, numbers)
