"""The nodes that trees share, and the way from vectors to the keys of roots and back.

A leaf is a few words, a fork a pair of 32-bit references to the nodes below it. What has been numbered once is referred
to by its number from then on, wherever in a tree it stands.

A successor is much like the state that it came from, and like its siblings in the batch. A node is looked up only if
it differs from that of such a relative, whose references are known. This goes level by level for a whole batch, so
that the tables' cache lines can be asked for long before they are needed.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.engine.stores.keys import KeyTable, Number, fetched, stretched
from ouroboros.engine.stores.shape import Shape, Span
from ouroboros.jit import Width, kernel, record, width_of, words_in
from ouroboros.memory import Budget, Bytes, Ids, Words
from ouroboros.system.layout import Vector

_HALF = np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)
_NONE, _ONE, _TWO = np.uint64(0), np.uint64(1), np.uint64(2)

_ROWS_AT_ONCE = np.uint64(64)
"""States that are decoded together: their references stay in the nearest cache."""
_ROWS_TO_GATHER = 1 << 12

Marks = npt.NDArray[np.uint8]


@record("uint64, uint64, uint64[:, ::1], uint64[:, ::1], uint64[::1]")
class Form(NamedTuple):
    """The shape of the trees."""

    words: Number
    """Of a vector."""
    nodes: Number
    leaves: Words
    """The words of each."""
    forks: Words
    """The two nodes below each."""
    tops: Words
    """The nodes below the root."""


@record("uint8[::1], uint64, uint64")
class Packed(NamedTuple):
    """Keys as a table stores them."""

    stored: Bytes
    step: Number
    low: Number


@kernel("uint64(uint64[::1], uint64, uint64, Form, uint64[::1], uint32[::1], uint64, uint8[::1], uint64[::1], width)")
def _mark_leaves(
    arrivals: Words,
    total: Number,
    strangers: Number,
    form: Form,
    relatives: Words,
    sources: Ids,
    offset: Number,
    marks: Marks,
    keys: Words,
    width: Width,
) -> Number:
    """Mark and collect the leaves that differ from those of the relative; return how many.

    The relative is in row sources[k] + offset. The first arrivals may be strangers, without one: all that they have is
    new.
    """
    leaf_words = words_in(width)
    words, nodes, leaves, _, _ = form
    found = _NONE
    for k in range(total):
        at, row = k * words, (np.uint64(sources[k]) + offset) * words
        unknown = np.uint64(k < strangers)
        for leaf in range(np.uint64(leaves.shape[0])):
            difference = unknown
            # Written in any case: what is new cannot be predicted, and a wrong guess costs more than a store.
            for i in range(leaf_words):
                word = arrivals[at + leaves[leaf, i]]
                difference |= word ^ relatives[row + leaves[leaf, i]]
                keys[found * leaf_words + i] = word
            mark = np.uint64(difference != _NONE)
            marks[k * nodes + leaf] = mark
            found += mark
    return found


@kernel("uint64(uint64, uint64, uint64, uint64, uint64, uint64[:, ::1], uint8[::1], uint32[::1], uint64[::1])")
def _mark_forks(
    total: Number,
    nodes: Number,
    leaves: Number,
    first: Number,
    last: Number,
    forks: Words,
    marks: Marks,
    references: Ids,
    keys: Words,
) -> Number:
    """Mark and collect the forks of a level that have a new node below them; return how many."""
    found = _NONE
    for k in range(total):
        at = k * nodes
        for fork in range(first, last):
            left, right = at + forks[fork, 0], at + forks[fork, 1]
            mark = marks[left] | marks[right]
            marks[at + leaves + fork] = mark
            keys[found] = np.uint64(references[left]) << _HALF | np.uint64(references[right])
            found += np.uint64(mark)
    return found


@kernel("void(uint64, uint64, uint64, uint64, uint32[::1], uint64, uint8[::1], uint32[::1], uint32[::1], uint32[::1])")
def _refer(
    total: Number,
    nodes: Number,
    first: Number,
    last: Number,
    sources: Ids,
    offset: Number,
    marks: Marks,
    found: Ids,
    known: Ids,
    references: Ids,
) -> None:
    """Set the references of some nodes: the next one found for what is marked, that of the relative for the others."""
    next_found = _NONE
    for k in range(total):
        at, row = k * nodes, (np.uint64(sources[k]) + offset) * nodes
        for node in range(first, last):
            mark = marks[at + node]
            new, old = found[next_found], known[row + node]
            references[at + node] = new if mark else old
            next_found += np.uint64(mark)


@kernel("void(uint64, uint64, uint64[::1], uint32[::1], uint64[::1])")
def _join_roots(total: Number, nodes: Number, tops: Words, references: Ids, keys: Words) -> None:
    """Two references make a word of the root's key; a last one without a partner makes one alone."""
    count = np.uint64(tops.size)
    at = _NONE
    for k in range(total):
        for top in range(_NONE, count, _TWO):
            key = np.uint64(references[k * nodes + tops[top]]) << _HALF
            if top + _ONE < count:
                key |= np.uint64(references[k * nodes + tops[top + _ONE]])
            keys[at] = key
            at += _ONE


@kernel("void(uint32[::1], Packed, Packed, uint64[::1], Form, uint32[::1], uint64[::1], width)")
def _decode(
    identifiers: Ids,
    roots: Packed,
    fork_keys: Packed,
    leaf_keys: Words,
    form: Form,
    references: Ids,
    vectors: Words,
    width: Width,
) -> None:
    """Follow the references from the roots down. For some states at once: their cache misses overlap."""
    words, nodes, leaves, forks, tops = form
    total = np.uint64(identifiers.size)
    top_count = np.uint64(tops.size)
    leaf_count, leaf_words = np.uint64(leaves.shape[0]), words_in(width)
    root_words = (top_count + _ONE) // _TWO
    for start in range(_NONE, total, _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, total)
        for k in range(start, stop):
            root = np.uint64(identifiers[k]) * root_words
            for top in range(top_count):
                key = stretched(fetched(roots.stored, (root + top // _TWO) * roots.step, roots.step), roots.low)
                references[k * nodes + tops[top]] = np.uint32(key & _LOWER if top & _ONE else key >> _HALF)
        for node in range(nodes - _ONE, leaf_count - _ONE, -1):
            left, right = forks[node - leaf_count, 0], forks[node - leaf_count, 1]
            for k in range(start, stop):
                fork = np.uint64(references[k * nodes + node])
                key = stretched(fetched(fork_keys.stored, fork * fork_keys.step, fork_keys.step), fork_keys.low)
                references[k * nodes + left] = np.uint32(key >> _HALF)
                references[k * nodes + right] = np.uint32(key & _LOWER)
        for k in range(start, stop):
            for leaf in range(leaf_count):
                key = np.uint64(references[k * nodes + leaf]) * leaf_words
                for i in range(leaf_words):
                    vectors[k * words + leaves[leaf, i]] = leaf_keys[key + i]


def _words_of(leaf: Span, leaf_words: int) -> list[int]:
    """The words of a leaf; one that is narrower than others repeats its last."""
    return [min(word, leaf[1] - 1) for word in range(leaf[0], leaf[0] + leaf_words)]


class Nodes:
    """The nodes of all states but their roots."""

    def __init__(self, shape: Shape, budget: Budget, most_arrivals: int) -> None:
        self.shape = shape
        most_keys = most_arrivals * len(shape.leaves)
        self._leaf_table = KeyTable(shape.leaf_words, budget, "leaves")
        self._fork_table = KeyTable(1, budget, "forks", pairs=True)
        self._leaf_width = width_of(shape.leaf_words)
        self._form = Form(
            shape.words,
            shape.nodes,
            np.array([_words_of(leaf, shape.leaf_words) for leaf in shape.leaves], np.uint64),
            np.array(shape.forks, np.uint64).reshape(-1, 2),
            np.array(shape.tops, np.uint64),
        )
        self._keys = np.zeros(most_keys * shape.leaf_words, np.uint64)
        self._found = np.zeros(most_keys, np.uint32)
        self._marks = np.zeros(most_arrivals * shape.nodes, np.uint8)
        self._references = np.zeros(most_arrivals * shape.nodes, np.uint32)
        self._previous = np.maximum(np.arange(most_arrivals) - 1, 0).astype(np.uint32)
        self._window = _Window(shape, 2 * most_arrivals)
        buffers = (self._keys, self._found, self._marks, self._references, self._previous)
        budget.claim_buffers("node buffers", self._window.bytes + sum(buffer.nbytes for buffer in buffers))

    @property
    def count(self) -> int:
        """References are less than this."""
        return max(self._leaf_table.count, self._fork_table.count)

    @property
    def bytes(self) -> int:
        return self._leaf_table.bytes + self._fork_table.bytes

    @property
    def size(self) -> int:
        """The bytes without those that tables have in reserve."""
        return self._leaf_table.size + self._fork_table.size

    def root_keys(self, arrivals: Words, total: int, sources: Ids | None) -> Words:
        """Store the nodes of vectors, and return the keys of their roots.

        Each vector is compared with its source, if these are in the window, or else with the vector before it.
        """
        window = self._window
        if sources is not None and window.holds(sources[:total]):
            vectors, references = window.vectors.reshape(-1), window.references.reshape(-1)
            return self._root_keys(arrivals, total, 0, vectors, sources, window.offset, references)
        return self._root_keys(arrivals, total, 1, arrivals, self._previous, 0, self._references)

    def _root_keys(
        self, arrivals: Words, total: int, strangers: int, relatives: Words, sources: Ids, offset: int, known: Ids
    ) -> Words:
        shape, marks, references, keys = self.shape, self._marks, self._references, self._keys
        nodes, leaves = shape.nodes, len(shape.leaves)
        wrapped = np.int64(offset).view(np.uint64)
        count = _mark_leaves(
            arrivals,
            total,
            strangers,
            self._form,
            relatives,
            sources,
            wrapped,
            marks,
            keys,
            self._leaf_width,
        )
        self._leaf_table.intern(keys, count, self._found)
        _refer(total, nodes, 0, leaves, sources, wrapped, marks, self._found, known, references)
        for first, last in pairwise(shape.levels):
            count = _mark_forks(total, nodes, leaves, first, last, self._form.forks, marks, references, keys)
            self._fork_table.refer_to(self.count)
            self._fork_table.intern(keys, count, self._found)
            _refer(total, nodes, leaves + first, leaves + last, sources, wrapped, marks, self._found, known, references)
        _join_roots(total, nodes, self._form.tops, references, keys)
        return keys

    def gather(self, roots: KeyTable, identifiers: Ids) -> Words:
        """The vectors of any states."""
        vectors = np.zeros((identifiers.size, self.shape.words), np.uint64)
        references = np.zeros((min(identifiers.size, _ROWS_TO_GATHER), self.shape.nodes), np.uint32)
        for start in range(0, identifiers.size, _ROWS_TO_GATHER):
            stop = min(start + _ROWS_TO_GATHER, identifiers.size)
            self._decode(roots, identifiers[start:stop], references, vectors[start:stop])
        return vectors.reshape(-1)

    def _decode(self, roots: KeyTable, identifiers: Ids, references: Ids, vectors: Words) -> None:
        forks = self._fork_table
        _decode(
            identifiers,
            Packed(roots.stored, roots.step, roots.low),
            Packed(forks.stored, forks.step, forks.low),
            self._leaf_table.range(0, self._leaf_table.count),
            self._form,
            references.reshape(-1),
            vectors.reshape(-1),
            self._leaf_width,
        )

    def batch(self, roots: KeyTable, start: int, stop: int) -> Words:
        """The vectors of states that are about to be expanded, until the next call. They are kept in the window."""
        window = self._window
        decoded = window.move(start, stop)
        missing = slice(decoded + window.offset, stop + window.offset)
        identifiers = np.arange(decoded, stop, dtype=np.uint32)
        self._decode(roots, identifiers, window.references[missing], window.vectors[missing])
        return window.vectors[start + window.offset : stop + window.offset].reshape(-1)

    def find(self, vector: Vector) -> tuple[int, ...] | None:
        """The key of a vector's root, if all of its nodes are stored."""
        shape = self.shape
        references: list[int] = []
        for node in range(shape.nodes):
            if node < len(shape.leaves):
                words = _words_of(shape.leaves[node], shape.leaf_words)
                reference = self._leaf_table.find(*[vector[word] for word in words])
            else:
                left, right = shape.forks[node - len(shape.leaves)]
                reference = self._fork_table.find(references[left] << 32 | references[right])
            if reference is None:
                return None
            references.append(reference)
        root = np.zeros(shape.root_words, np.uint64)
        _join_roots(1, shape.nodes, self._form.tops, np.array(references, np.uint32), root)
        return tuple(int(word) for word in root)


class _Window:
    """States that are being expanded, with the references of their nodes: consecutive ids in consecutive rows."""

    def __init__(self, shape: Shape, rows: int) -> None:
        self.vectors = np.zeros((rows, shape.words), np.uint64)
        self.references = np.zeros((rows, shape.nodes), np.uint32)
        self.offset = 0
        """What is added to an id to get its row."""
        self._start = self._stop = 0

    @property
    def bytes(self) -> int:
        return self.vectors.nbytes + self.references.nbytes

    def holds(self, identifiers: Ids) -> bool:
        return identifiers.size > 0 and bool(self._start <= identifiers.min() and identifiers.max() < self._stop)

    def move(self, start: int, stop: int) -> int:
        """Go on to the ids from `start` to `stop`; those from the returned one on are still to be decoded."""
        if not self._start <= start <= self._stop:
            self._start = self._stop = start
            self.offset = -start
        elif stop + self.offset > len(self.vectors):
            kept = slice(start + self.offset, self._stop + self.offset)
            for rows in (self.vectors, self.references):
                rows[: self._stop - start] = rows[kept]
            self.offset = -start
        decoded = min(self._stop, stop)
        self._start, self._stop = start, max(self._stop, stop)
        return decoded
