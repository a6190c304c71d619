"""The explored part of a graph as a checkpoint has it, and the way back: to any number of workers.

Each worker saves its states in the order of their ids, and the parent of each as a worker and an id there. To restore
them, every share is read by one worker, which sends each state to the owner that it has now; the owner answers with the
id that it has there. So the readers can tell everyone what has become of any state, by which parents, and all else that
speaks of states, are translated.

Ids must grow with the distance from the initial states, and what is expanded must come before what is not. So the
states of a share are cut into segments: a level each, but for the present one, whose expanded states come first, and
what was found of the next level last. Segments are restored one after the other, those of all workers together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ouroboros.checkpoint.directory import Json
from ouroboros.checkpoint.keeper import Keeper, Saved
from ouroboros.checkpoint.shares import Array, Section, Share, section
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.explorer import Explorer
from ouroboros.engine.parents import INITIAL
from ouroboros.errors import SelfCheckError
from ouroboros.graph.notes import (
    FIRED,
    NOTHING,
    OVERFLOWS,
    PLACES,
    SEEN_FALSE,
    SEEN_TRUE,
    TRANSITIONS,
    Notes,
)
from ouroboros.memory import Ids, OutOfMemory, Words

_AT_ONCE = 1 << 16
"""States that are read, sent or written at once."""
_BYTES_FOR_NAME = 6

Numbers = npt.NDArray[np.int64]
Owners = npt.NDArray[np.uint16]


@dataclass(frozen=True)
class Beside:
    """What an algorithm knows besides the graph."""

    columns: dict[str, Array] = field(default_factory=dict)
    """Arrays over the states of a worker."""
    sums: dict[str, int] = field(default_factory=dict)
    """Numbers of which only the sum over all workers matters."""


NOTHING_BESIDE = Beside()


def save_graph(keeper: Keeper, explorer: Explorer, notes: Notes, progress: Json, beside: Beside) -> None:
    """Collective. `notes` are what was met while the graph was explored."""
    store = explorer.exact
    # Who looks for a lasso in a graph that is not explored to the end may have come to states beyond it.
    count = explorer.parents.known

    def vectors() -> Iterator[Words]:
        for start in range(0, count, _AT_ONCE):
            yield store.vectors(start, min(start + _AT_ONCE, count))

    def parents(column: int) -> Iterator[Array]:
        for start in range(0, count, _AT_ONCE):
            yield explorer.parents.columns(start, min(start + _AT_ONCE, count))[column]

    numbers = {
        "next": explorer.next,
        "notes": [int(note) for note in notes],
        "whose": [explorer.whose(note) for note in PLACES],
        "sums": beside.sums,
    }
    sections = [
        section("level ends", np.array(explorer.level_ends, np.int64)),
        Section("vectors", "<u8", count * store.words, vectors),
        Section("owners", "<u2", count, lambda: parents(0)),
        Section("parents", "<u4", count, lambda: parents(1)),
        *(section(f"column {name}", column) for name, column in beside.columns.items()),
    ]
    columns = {name: column.dtype.str for name, column in beside.columns.items()}
    keeper.save(explorer.exchange, {**progress, "columns": columns}, numbers, sections)


def restore_graph(saved: Saved, explorer: Explorer) -> Beside:
    """Collective; raises OutOfMemory on all workers if one has too little. The explorer is one that has not started."""
    return _Restoring(saved, explorer).run()


class _Names:
    """What has become of the states of a share: the owner of each, and its id there."""

    def __init__(self, states: int) -> None:
        self.owners = np.zeros(states, np.uint16)
        self.ids = np.zeros(states, np.uint32)


class _Restoring:
    def __init__(self, saved: Saved, explorer: Explorer) -> None:
        self._explorer = explorer
        self._exchange: Exchange = explorer.exchange
        self._words = explorer.store.words
        self._columns: dict[str, str] = saved.progress["columns"]
        self._shares = saved.shares(self._exchange)
        self._bounds = {at: _bounds(share, self._words) for at, share in self._shares.items()}
        self._names: dict[int, _Names] = {}
        self._owners: Owners = np.zeros(0, np.uint16)
        self._parents: Ids = np.zeros(0, np.uint32)
        self._lack = 0

    def run(self) -> Beside:
        self._make_room()
        self._names = {at: _Names(int(bounds[-1])) for at, bounds in self._bounds.items()}
        segments = self._segments()
        counts = np.zeros(segments.size, np.int64)
        for first, last in _groups(segments):
            for rows in self._rounds(self._rows(first, last)):
                self._insert(rows, counts)
        if self._exchange_total(int(counts.sum()) - self._explorer.store.count):
            raise SelfCheckError("a state is twice in a checkpoint")
        self._make_room(_BYTES_FOR_NAME + sum(np.dtype(kind).itemsize for kind in self._columns.values()))
        self._owners = np.zeros(self._explorer.store.count, np.uint16)
        self._parents = np.zeros(self._explorer.store.count, np.uint32)
        beside = Beside(
            {name: np.zeros(self._explorer.store.count, np.dtype(kind)) for name, kind in self._columns.items()},
            self._sums(),
        )
        for part in self._rounds(self._parts()):
            self._deliver(part, beside)
        self._restore_notes()
        ends = np.cumsum(counts)
        try:
            # The last segments: expanded and not yet expanded states of the present level, and the next level.
            self._explorer.parents.restore(self._owners, self._parents)
            self._explorer.restore([*map(int, ends[:-3]), int(ends[-2])], int(ends[-3]))
        except OutOfMemory as lack:
            self._lack = lack.weight
        self._confirm_room()
        self._explorer.budget.claim("restoring", 0)
        return beside

    def _make_room(self, for_columns: int = 0) -> None:
        """For the names of all states that were read, and so many bytes for each state that is stored. Collective."""
        read = sum(int(bounds[-1]) for bounds in self._bounds.values())
        size = read * _BYTES_FOR_NAME + self._explorer.store.count * for_columns
        try:
            self._explorer.budget.claim("restoring", size)
        except OutOfMemory as lack:
            self._lack = lack.weight
        self._confirm_room()

    def _confirm_room(self, busy: int = 0) -> int:
        """Stop together where one lacks memory; returns how many workers are `busy`. Collective."""
        lack, workers = map(int, self._exchange.total(np.array([self._lack, busy], np.int64)))
        if lack:
            raise OutOfMemory("restoring")
        return workers

    def _exchange_total(self, value: int) -> int:
        return int(self._exchange.total(np.array([value != 0], np.int64))[0])

    def _segments(self) -> Numbers:
        """The states of each segment, over all workers. Collective."""
        lengths = self._exchange.gather(max((bounds.size - 1 for bounds in self._bounds.values()), default=0))
        segments = np.zeros(int(lengths.max()), np.int64)
        for bounds in self._bounds.values():
            segments += np.diff(bounds)
        return self._exchange.total(segments)

    def _rounds(self, parts: Iterator[Part]) -> Iterator[Part]:
        """The parts of this worker, and empty ones for as long as another worker has some. Collective."""
        while True:
            part = next(parts, None)
            if not self._confirm_room(int(part is not None)):
                return
            yield part or Part.nothing()

    # The states ---------------------------------------------------------------------------------------------------

    def _rows(self, first: int, last: int) -> Iterator[Part]:
        """The states of these segments: of one in any number of parts, of several in one."""
        whole = []
        for at, bounds in self._bounds.items():
            start, stop = int(bounds[first]), int(bounds[last])
            if last - first == 1:
                for some in range(start, stop, _AT_ONCE):
                    ids = np.arange(some, min(some + _AT_ONCE, stop))
                    yield Part(np.full(ids.size, at), ids, np.full(ids.size, first))
            else:
                segments = np.repeat(np.arange(first, last), np.diff(bounds[first : last + 1]))
                whole.append(Part(np.full(stop - start, at), np.arange(start, stop), segments))
        if whole:
            yield Part.together(whole)

    def _insert(self, rows: Part, counts: Numbers) -> None:
        """Send states to their owners, store what arrives here, and learn the new names. Collective."""
        vectors = self._read("vectors", rows, self._words).reshape(-1, self._words)
        owners = self._explorer.ownership.of(vectors.reshape(-1))
        boxes = _boxes(owners, self._exchange.size)
        sent = [vectors[box].reshape(-1) for box in boxes], [rows.segments[box] for box in boxes]
        arrived, segments = self._exchange.swap(*sent)
        sizes = [part.size for part in segments]
        ids = self._store(np.concatenate(arrived), np.concatenate(segments), counts)
        (replies,) = self._exchange.swap(np.split(ids, np.cumsum(sizes)[:-1]))
        for worker, (box, reply) in enumerate(zip(boxes, replies, strict=True)):
            for at, names in self._names.items():
                own = rows.shares[box] == at
                names.owners[rows.ids[box][own]] = worker
                names.ids[rows.ids[box][own]] = reply[own]

    def _store(self, vectors: Words, segments: Numbers, counts: Numbers) -> Ids:
        """Store states in the order of their segments; returns the id of each."""
        ids = np.zeros(segments.size, np.uint32)
        if self._lack:
            return ids
        counts += np.bincount(segments, minlength=counts.size)
        order = np.argsort(segments, kind="stable")
        ordered = np.zeros(segments.size, np.uint32)
        try:
            self._explorer.generation.insert(vectors.reshape(-1, self._words)[order].reshape(-1), ordered)
        except OutOfMemory as lack:
            self._lack = lack.weight
        ids[order] = ordered
        return ids

    def _read(self, name: str, rows: Part, items: int = 1) -> Array:
        """What the shares have of these states: `items` for each. They stand together in each share."""
        if not rows.ids.size:
            return np.zeros(0, np.uint64)
        cuts = np.flatnonzero(np.diff(rows.shares)) + 1
        parts = []
        for first, last in zip([0, *cuts], [*cuts - 1, rows.ids.size - 1], strict=True):
            share = self._shares[int(rows.shares[first])]
            parts.append(share.read(name, int(rows.ids[first]) * items, (int(rows.ids[last]) + 1) * items))
        return np.concatenate(parts)

    # What is known of them ----------------------------------------------------------------------------------------

    def _parts(self) -> Iterator[Part]:
        for at, bounds in self._bounds.items():
            for start in range(0, int(bounds[-1]), _AT_ONCE):
                ids = np.arange(start, min(start + _AT_ONCE, int(bounds[-1])))
                yield Part(np.full(ids.size, at), ids, np.zeros(ids.size, np.int64))

    def _deliver(self, part: Part, beside: Beside) -> None:
        """Tell the owners of states what is known of these. Collective."""
        parents = self._read("parents", part).astype(np.uint32)
        initial = parents == INITIAL
        # An initial state asks for itself, so that there is an answer for everyone.
        owners = np.where(initial, part.shares, self._read("owners", part))
        parent_owners, parent_ids = self._look_up(owners, np.where(initial, part.ids, parents))
        parent_ids[initial] = INITIAL
        own_owners, own_ids = self._known(part.shares, part.ids)
        told: list[Array] = [own_ids, parent_owners, parent_ids]
        told += [self._read(f"column {name}", part).astype(np.dtype(kind)) for name, kind in self._columns.items()]
        boxes = _boxes(own_owners, self._exchange.size)
        ids, owners_in, parents_in, *values = self._exchange.swap(*([item[box] for box in boxes] for item in told))
        for sender in range(self._exchange.size):
            self._owners[ids[sender]] = owners_in[sender]
            self._parents[ids[sender]] = parents_in[sender]
            for name, value in zip(self._columns, values, strict=True):
                beside.columns[name][ids[sender]] = value[sender]

    def _look_up(self, workers: Array, ids: Array) -> tuple[Owners, Ids]:
        """Who owns these states now, and their ids there. Collective: the readers of the shares know."""
        boxes = _boxes(workers % self._exchange.size, self._exchange.size)
        asked, asked_ids = self._exchange.swap(
            [workers[box].astype(np.int64) for box in boxes], [ids[box].astype(np.int64) for box in boxes]
        )
        answers = [self._known(shares, states) for shares, states in zip(asked, asked_ids, strict=True)]
        replies, replied_ids = self._exchange.swap([owner for owner, _ in answers], [name for _, name in answers])
        all_owners, all_ids = np.zeros(workers.size, np.uint16), np.zeros(workers.size, np.uint32)
        for box, owner, name in zip(boxes, replies, replied_ids, strict=True):
            all_owners[box], all_ids[box] = owner, name
        return all_owners, all_ids

    def _known(self, shares: Numbers, states: Numbers) -> tuple[Owners, Ids]:
        """The same for states of shares that this worker reads."""
        owners, ids = np.zeros(states.size, np.uint16), np.zeros(states.size, np.uint32)
        for at, names in self._names.items():
            own = shares == at
            owners[own], ids[own] = names.owners[states[own]], names.ids[states[own]]
        return owners, ids

    def _sums(self) -> dict[str, int]:
        sums: dict[str, int] = {}
        for share in self._shares.values():
            for name, value in share.numbers["sums"].items():
                sums[name] = sums.get(name, 0) + value
        return sums

    def _restore_notes(self) -> None:
        """Counters stay with the reader, places go to the owner of the state. Collective."""
        notes = self._explorer.generation.notes
        met = []
        for share in self._shares.values():
            own = share.numbers["notes"]
            for counter in range(TRANSITIONS, OVERFLOWS + 1):
                notes[counter] += own[counter]
            for mask in (SEEN_TRUE, SEEN_FALSE, *range(FIRED, notes.size)):
                notes[mask] |= own[mask]
            whose = zip(PLACES, share.numbers["whose"], strict=True)
            met += [(note, owner, own[note]) for note, owner in whose if own[note] != NOTHING]
        kinds, workers, ids = np.array(met, np.int64).reshape(-1, 3).T
        owners, names = self._look_up(workers, ids)
        boxes = _boxes(owners, self._exchange.size)
        kinds_in, names_in = self._exchange.swap([kinds[box] for box in boxes], [names[box] for box in boxes])
        for sender in range(self._exchange.size):
            for note, name in zip(kinds_in[sender], names_in[sender], strict=True):
                notes[note] = int(name) if notes[note] == NOTHING else min(int(notes[note]), int(name))


@dataclass(frozen=True)
class Part:
    """Some states of shares: the worker that saved each, its id there, and its segment."""

    shares: Numbers
    ids: Numbers
    segments: Numbers

    @classmethod
    def nothing(cls) -> Part:
        return cls(*(np.zeros(0, np.int64) for _ in range(3)))

    @classmethod
    def together(cls, parts: list[Part]) -> Part:
        return cls(
            np.concatenate([part.shares for part in parts]),
            np.concatenate([part.ids for part in parts]),
            np.concatenate([part.segments for part in parts]),
        )


def _bounds(share: Share, words: int) -> Numbers:
    """Where the segments of a share begin and end."""
    ends = share.read("level ends")
    count = share.count("vectors") // words
    return np.array([0, *ends[:-1], share.numbers["next"], ends[-1], count], np.int64)


def _groups(segments: Numbers) -> Iterator[tuple[int, int]]:
    """Segments that are small enough to be sent together; a large one stands alone."""
    first = 0
    size = 0
    for at, states in enumerate(segments):
        if at > first and size + states > _AT_ONCE:
            yield first, at
            first, size = at, 0
        size += int(states)
    yield first, segments.size


def _boxes(owners: Array, workers: int) -> list[Numbers]:
    """The positions of what each worker gets, in order."""
    if workers == 1:
        return [np.arange(owners.size)]
    order = np.argsort(owners, kind="stable")
    return np.split(order, np.searchsorted(owners[order], np.arange(1, workers)))
