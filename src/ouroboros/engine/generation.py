"""A round of the engine: expand, route every successor to its owner, exchange, insert."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ouroboros.engine.exchange.base import NO_NUMBERS, Column, Columns, Exchange, Totals, nothing
from ouroboros.engine.hashing import owner_of, quick_hash
from ouroboros.engine.outbox import Outbox, loaded
from ouroboros.engine.parents import Owners, Runs
from ouroboros.engine.sieve import Mixture, Sieve
from ouroboros.engine.stores.base import Store
from ouroboros.graph.notes import new_notes
from ouroboros.graph.protocol import Batch, Graph, Labels
from ouroboros.jit import Width, kernel, prefetch, prepare, width_of, words_in
from ouroboros.memory import WORD_BYTES, Budget, Ids, OutOfMemory, Words

_BYTES_AT_ONCE = 1 << 19
"""Successors that are generated before something is done with them: few enough to stay in the cache, and enough to be
worth what is done between kernels."""
_BYTES_TOGETHER = 1 << 23
"""Successors of a round of several workers: enough to be worth a meeting."""
_SHARE_TOGETHER = 64
"""That is at most this part of the memory, for boxes are several times as large."""

_PIECE = 1 << 14
"""Edges of a message that are stored at once, about as many as a round of kept edges has for a worker: what is sent
along the edges later comes by in the order in which the states are numbered, and not at random."""

_AHEAD = np.uint64(32)
"""Edges between asking for a place in a box and writing to it: another worker has read it last."""

NO_LABELS: Labels = np.zeros(0, np.uint16)
_NO_IDS: Ids = np.zeros(0, np.uint32)


@kernel(
    "void(uint64[::1], uint32[::1], int64, uint64, uint64, uint64[:, ::1], uint32[:, ::1], uint16[::1], int64[::1],"
    " width)"
)
def _route(
    out: Words,
    sources: Ids,
    count: int,
    workers: int,
    owning: Any,
    vector_boxes: Words,
    source_boxes: Ids,
    owners: Owners,
    filled: npt.NDArray[np.int64],
    width: Width,
) -> None:
    """Add successors and their sources to the boxes of their owners; filled[r] is how many worker r gets."""
    words = words_in(width)
    if owning == words:
        for k in range(np.uint64(count)):
            owners[k] = owner_of(quick_hash(out, k * words, words), workers)
    else:
        for k in range(np.uint64(count)):
            owners[k] = owner_of(quick_hash(out, k * words, owning), workers)
    for k in range(np.uint64(count)):
        start = k * words
        owner = np.uint64(owners[k])
        at = np.uint64(filled[owner])
        # The next edge needs it first of all.
        filled[owner] = at + np.uint64(1)
        prefetch(vector_boxes[owner], (at + _AHEAD) * words)
        for w in range(words):
            vector_boxes[owner, at * words + w] = out[start + w]
        source_boxes[owner, at] = sources[k]


@kernel("void(uint16[::1], uint16[::1], int64, uint16[:, ::1], int64[::1])")
def _route_labels(labels: Labels, owners: Owners, count: int, boxes: Labels, filled: npt.NDArray[np.int64]) -> None:
    """Send with each edge its label."""
    filled[:] = 0
    for k in range(count):
        owner = owners[k]
        boxes[owner, filled[owner]] = labels[k]
        filled[owner] += 1


@dataclass(frozen=True)
class Arrival:
    """Edges that lead to states owned here, from one worker: all of a round, or a piece of them."""

    sender: int
    targets: Ids
    sources: Ids
    """Ids at the sender."""
    payloads: tuple[Words, ...]
    """Of the sources, for each edge."""
    labels: Labels
    """Of the edges, where they have labels."""
    vectors: Words | None = None
    """Of the targets, where the edges were made from states; valid until the next round."""

    @property
    def runs(self) -> Runs:
        return Runs.one(self.sender, self.targets.size)

    @classmethod
    def nothing(cls, sender: int, payloads: int) -> Arrival:
        """No edge at all."""
        return cls(
            sender, np.zeros(0, np.uint32), np.zeros(0, np.uint32), (np.zeros(0, np.uint64),) * payloads, NO_LABELS
        )


class Generation:
    """Edges made from states, with new states stored on the way. A round is a call of `fill` and then of `deliver`."""

    def __init__(self, graph: Graph, store: Store, exchange: Exchange, budget: Budget) -> None:
        self.store = store
        self.exchange = exchange
        self.notes = new_notes(graph.actions)
        self.labelled = graph.edge_labels is not None
        self.sent = 0
        """Edges of the last round from here."""
        self.sums = NO_NUMBERS
        """The numbers of the last round's meeting."""
        self.answers: list[Ids] = []
        """For each worker, the ids of the states that its edges of the last round lead to, if they are stored."""
        self._lack: OutOfMemory | None = None
        """What this worker has met. It stores nothing more, but comes to meetings, for the others rely on it."""
        self._budget = budget
        self._graph = graph
        self._width = width_of(graph.words)
        graph.prepare()
        if exchange.size > 1:
            prepare(_route, self._width)
        self._sieve = Sieve(graph.words, budget)
        self._mixture: tuple[Words, Ids, Ids] = np.zeros(0, np.uint64), np.zeros(0, np.uint32), np.zeros(0, np.uint32)
        """What arrives and is put together: vectors, sources, ids."""
        self._payloads = 0
        self._most_arrivals = most_arrivals(graph, exchange, budget)
        """What the store takes at once: what it was made for."""
        self._use_buffers()

    def _use_buffers(self) -> None:
        """Have room for successors: at least for those of one state."""
        words, exchange = self._graph.words, self.exchange
        at_once = _successors_at_once(self._graph)
        together = _successors_together(self._graph, self._budget)
        self.room = at_once if exchange.size == 1 else max(2 * at_once, together)
        box_room = most_arrivals(self._graph, exchange, self._budget)
        self._outbox = Outbox(exchange, box_room, words, np.uint64, self._budget, "boxes", self.labelled, sides=3)
        self._outbox.prepare(self._payloads)
        self._out = np.zeros(at_once * words, np.uint64)
        self._sources = np.zeros(self.room, np.uint32)
        self._owners = np.zeros(self.room, np.uint16)
        self._labels = np.zeros(self.room if self.labelled else 0, np.uint16)
        self._ids = np.zeros((exchange.size, box_room), np.uint32)
        buffers = (self._out, self._sources, self._owners, self._labels, self._ids)
        self._budget.claim_buffers("buffers", sum(buffer.nbytes for buffer in buffers))

    @property
    def sources(self) -> Ids:
        """Of the edges of this round, in the order in which they were made."""
        return self._sources[: self.sent]

    @property
    def sources_by_owner(self) -> list[Ids]:
        """Of the edges of this round, for each worker those that lead to its states, in the order of `answers`."""
        if self.exchange.size == 1:
            return [self.sources]
        side = self._outbox.side
        return [box[:filled] for box, filled in zip(side.sources, self._outbox.filled, strict=True)]

    @property
    def owners(self) -> Owners:
        """Of the states that these edges lead to."""
        return self._owners[: self.sent]

    @property
    def labels(self) -> Labels:
        """Of these edges, where they have labels."""
        return self._labels[: self.sent]

    def _received(self, sender: int, count: int) -> Ids:
        """Room for the ids of so many states; another worker may have had to make its boxes larger than ours."""
        if count > self._ids.shape[1]:
            self._ids = np.zeros((self.exchange.size, count), np.uint32)
        return self._ids[sender, :count]

    @property
    def most_successors(self) -> int:
        return self._graph.most_successors

    def prepare(self, payloads: int) -> None:
        """Have memory for sending so many payloads."""
        if self.exchange.size > 1:
            self._payloads = payloads
            self._outbox.prepare(payloads)

    def fill(self, vectors: Words, identifiers: Ids) -> int:
        """Expand states, as many as fit; returns how many these were.

        A worker that lacks memory expands nothing, and says so after the meeting.
        """
        self._outbox.turn()
        expanded = self.sent = 0
        if self._lack:
            return expanded
        try:
            if self.exchange.size == 1:
                expanded, self.sent = self._expand(vectors, identifiers, 0)
            else:
                expanded, self.sent = self._fill_boxes(vectors, identifiers)
        except OutOfMemory as lack:
            self._lack = lack
            self._outbox.filled[:] = 0
        return expanded

    def take_back(self) -> None:
        """Forget what was filled since the last meeting; what was noted stays."""
        self._outbox.turn_back()

    def deliver(self, payloads: tuple[Words, ...] = (), numbers: Totals = NO_NUMBERS) -> list[Arrival]:
        """Send the edges, with the payloads of their sources, and store what arrives. Collective.

        `sums` are the numbers of all workers, also where this worker then finds that it has no memory.
        """
        columns = self._send(payloads, numbers)
        with self._lacking():
            return self._receive(*columns) if columns else [self._keep(payloads)]

    def collect(self, numbers: Totals = NO_NUMBERS, meanwhile: Callable[[], None] = nothing) -> Mixture:
        """The same where not every edge is wanted: those to a state to which one went a moment ago are left out.

        Several workers can fill their boxes for the next round `meanwhile`.
        """
        columns = self._send((), numbers, meanwhile)
        with self._lacking():
            if columns:
                self._use_mixture(sum(column.size for column in columns[1]))
                return self._mix(columns[0], columns[1], *self._mixture)
            out = self._out[: self.sent * self._graph.words]
            return self._mix([out], [self.sources], out, self.sources, self._ids[0])

    def _send(self, payloads: tuple[Words, ...], numbers: Totals, meanwhile: Callable[[], None] = nothing) -> Columns:
        columns: Columns = []
        self.answers = [_NO_IDS] * self.exchange.size
        self.sums = numbers
        if self.exchange.size > 1:
            self.sums, columns = self._outbox.send(payloads, numbers, meanwhile)
        if self._lack:
            raise self._lack
        return columns

    @contextmanager
    def _lacking(self) -> Iterator[None]:
        try:
            yield
        except OutOfMemory as lack:
            self._lack = lack
            raise

    def _mix(self, vectors_in: Column, sources_in: Column, vectors: Words, sources: Ids, ids: Ids) -> Mixture:
        """Store what others, and this worker, have sent."""
        count, runs = self._sieve.mix(vectors_in, sources_in, vectors, sources)
        self.insert(vectors, ids[:count], sources[:count] if self.exchange.size == 1 else None)
        return Mixture(ids[:count], sources[:count], vectors, runs)

    def _use_mixture(self, edges: int) -> None:
        """Have room for what arrives: that many edges or, so that it is there for all rounds, more."""
        words = self._graph.words
        if edges > self._mixture[1].size:
            room = max(edges, self.room)
            self._budget.claim_buffers("mixture", room * (words * WORD_BYTES + 8))
            self._mixture = np.zeros(room * words, np.uint64), np.zeros(room, np.uint32), np.zeros(room, np.uint32)

    def _keep(self, payloads: tuple[Words, ...]) -> Arrival:
        """Store what a worker has found that is alone."""
        ids, sources = self._ids[0, : self.sent], self.sources
        self.insert(self._out, ids, sources)
        self.answers = [ids]
        return Arrival(0, ids, sources, tuple(loaded(payload, sources) for payload in payloads), self.labels, self._out)

    def _receive(self, vectors_in: Column, sources_in: Column, *rest: Column) -> list[Arrival]:
        """Store what others, and this worker, have sent."""
        labels_in = rest[0] if self.labelled else [NO_LABELS] * self.exchange.size
        payloads_in = rest[1:] if self.labelled else rest
        words = self._graph.words
        counts = [sources.size for sources in sources_in]
        ids = [self._received(sender, count) for sender, count in enumerate(counts)]
        pieces = 1 + max(counts) // _PIECE
        arrivals = []
        for piece in range(pieces):
            for sender, count in enumerate(counts):
                first, last = count * piece // pieces, count * (piece + 1) // pieces
                vectors = vectors_in[sender][first * words : last * words]
                self.insert(vectors, ids[sender][first:last])
                arrivals.append(
                    Arrival(
                        sender,
                        ids[sender][first:last],
                        sources_in[sender][first:last],
                        tuple(column[sender][first:last] for column in payloads_in),
                        labels_in[sender][first:last],
                        vectors,
                    )
                )
        self.answers = ids
        return arrivals

    def insert(self, vectors: Words, ids: Ids, sources: Ids | None = None) -> None:
        """Store states of this worker, any number of them."""
        words = self._graph.words
        for start in range(0, ids.size, self._most_arrivals):
            stop = min(start + self._most_arrivals, ids.size)
            own = None if sources is None else sources[start:stop]
            self.store.insert(vectors[start * words : stop * words], stop - start, ids[start:stop], own)

    def _fill_boxes(self, vectors: Words, identifiers: Ids) -> tuple[int, int]:
        """Expand and route by turns, until the states are all expanded or the boxes might overflow."""
        outbox, words = self._outbox, self._graph.words
        at_once = self._out.size // words
        expanded = count = 0
        while (
            expanded < identifiers.size
            and count + at_once <= self.room
            and outbox.filled.max() + at_once <= outbox.room
        ):
            done, found = self._expand(vectors[expanded * words :], identifiers[expanded:], count)
            if outbox is not self._outbox:
                # There was no room for the successors of the first of all states. Now there is.
                outbox = self._outbox
                at_once = self._out.size // words
            if done == 0:
                break
            expanded += done
            _route(
                self._out,
                self._sources[count : count + at_once],
                found,
                self.exchange.size,
                self._graph.owning_words,
                outbox.side.boxes,
                outbox.side.sources,
                self._owners[count:],
                outbox.filled,
                self._width,
            )
            count += found
        if self.labelled:
            _route_labels(self._labels, self._owners, count, outbox.side.labels, outbox.filled)
        return expanded, count

    def _expand(self, vectors: Words, identifiers: Ids, count: int) -> tuple[int, int]:
        """Expand states, with `count` successors of others in the outbox; if it is empty, at least one state."""
        while True:
            at_once = self._out.size // self._graph.words
            sources = self._sources[count : count + at_once]
            expanded, found = self._graph.expand(Batch(vectors, identifiers, self._out, sources, self.notes))
            if expanded > 0 or count > 0 or identifiers.size == 0:
                if self._graph.edge_labels is not None:
                    self._labels[count : count + found] = self._graph.edge_labels[:found]
                return expanded, found
            self._use_buffers()


def most_arrivals(graph: Graph, exchange: Exchange, budget: Budget) -> int:
    """The edges that one worker can send another in a round: about twice a fair share, for hashing is fair."""
    at_once = _successors_at_once(graph)
    if exchange.size == 1:
        return at_once
    return max(2 * at_once, 2 * _successors_together(graph, budget) // exchange.size)


def _successors_at_once(graph: Graph) -> int:
    return max(2 * graph.most_successors, _BYTES_AT_ONCE // (graph.words * WORD_BYTES))


def _successors_together(graph: Graph, budget: Budget) -> int:
    return min(_BYTES_TOGETHER, budget.limit // _SHARE_TOGETHER) // (graph.words * WORD_BYTES)
