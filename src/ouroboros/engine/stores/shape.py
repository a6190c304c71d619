"""How a vector is cut into a tree.

A step of one process changes few words, and makes only the nodes above these new. So the tree is cut along the borders
of components first: what changes together stays together (Štill: the model gives hints on the shape of the tree).
Later the states themselves tell more. A tree has the fewest nodes if both sides of each fork vary alike: n states may
be pairs of as few as √n different halves. How a part varies is counted for the part as a whole: that its words vary
much says little, for those of one part may depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ouroboros.engine.stores.keys import Number
from ouroboros.jit import kernel
from ouroboros.memory import Ids, Words

Span = tuple[int, int]
"""The words from the first number up to, but not including, the second."""

_MOST_LEAF_WORDS = 4
"""Wider leaves make fewer look-ups and larger tables."""

_SEEN_BITS = 16
"""Many times as many hashes as there are vectors in a sample: few of them are the same by chance."""
_WORTH_A_CHANGE = 0.9
"""By how much the part that varies more must vary less for another cut: to change a tree costs time."""
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Shape:
    """Nodes are numbered: first the leaves, then the forks, lower ones first. A root is a tuple of nodes."""

    words: int
    leaf_words: int
    """The words of the widest leaf."""
    leaves: tuple[Span, ...]
    forks: tuple[tuple[int, int], ...]
    """The two nodes below each fork."""
    levels: tuple[int, ...]
    """Forks of the same height stand together: level i begins at fork levels[i] and ends at fork levels[i + 1]."""
    tops: tuple[int, ...]
    """The nodes that a root refers to; none if it is the vector itself."""

    @property
    def nodes(self) -> int:
        return len(self.leaves) + len(self.forks)

    @property
    def cuts(self) -> dict[Span, int]:
        """Where the words of each fork, and of a root that is a pair, are cut in two."""
        spans = list(self.leaves)
        cuts: dict[Span, int] = {}
        for left, right in (*self.forks, *([self.tops] if len(self.tops) == 2 else [])):
            span = spans[left][0], spans[right][1]
            cuts[span] = spans[right][0]
            spans.append(span)
        return cuts

    @property
    def root_words(self) -> int:
        """Words of the root's key: two references each."""
        return (len(self.tops) + 1) // 2 if self.tops else self.words


def flat_shape(words: int) -> Shape:
    """No tree: the root is the vector itself."""
    return _Cutter(words, ()).shape(())


def tree_shape(words: int, components: Iterable[Span] = ()) -> Shape:
    """A binary tree, whose root is a pair. A single word is no tree."""
    cutter = _Cutter(words, _borders(words, components))
    return cutter.shape(cutter.halves((0, words)) if words > 1 else ())


def learned_shape(vectors: Words, present: Shape) -> Shape:
    """A binary tree that suits these vectors, of two words or more: the present one if that is hardly worse."""
    words = vectors.shape[1]
    cutter = _LearnedCutter(vectors, present.cuts)
    return cutter.shape(cutter.halves((0, words)))


def collapse_shape(words: int, components: Iterable[Span]) -> Shape:
    """A root that refers to each of the components, as Spin's collapse has it. A single component is no tree."""
    borders = _borders(words, components)
    return _Cutter(words, borders).shape(tuple(pairwise([0, *borders, words])) if borders else ())


def _borders(words: int, components: Iterable[Span]) -> list[int]:
    """Where a component begins or ends. Components may share words, for they are packed by bits."""
    return sorted({border for span in components for border in span if 0 < border < words})


@kernel("void(uint64[:, ::1], uint64, uint64, uint64, uint32[::1], uint32, uint64[::1], int64[::1])")
def _count_parts(
    vectors: Words,
    first: Number,
    step: Number,
    count: Number,
    seen: Ids,
    stamp: Number,
    hashes: Words,
    different: npt.NDArray[np.int64],
) -> None:
    """How many different parts the vectors have: of one word, the first, of two, and so on, each `step` farther.

    Parts with the same hash are taken for one; what was `seen` has a stamp from `stamp` on, another for each length.
    There is a hash for each vector, zero at first.
    """
    shift = np.uint64(64 - _SEEN_BITS)
    for length in range(count):
        word = first + length * step
        found = 0
        for row in range(vectors.shape[0]):
            value = (hashes[row] ^ vectors[row, word]) * _MULTIPLIER
            value ^= value >> np.uint64(29)
            hashes[row] = value
            slot = (value * _MULTIPLIER) >> shift
            found += seen[slot] != stamp + np.uint32(length)
            seen[slot] = stamp + np.uint32(length)
        different[length] = found


class _Cutter:
    """Cuts at borders first, so that both parts have the same number of words."""

    def __init__(self, words: int, borders: Sequence[int]) -> None:
        self._words = words
        self._leaf_words = max(1, min(words - 1, _MOST_LEAF_WORDS))
        self._borders = borders

    def halves(self, span: Span) -> tuple[Span, Span]:
        """The two parts of a span of two words or more."""
        start, stop = span
        inside = [border for border in self._borders if start < border < stop]
        cut = min(inside or range(start + 1, stop), key=lambda border: abs(2 * border - start - stop))
        return (start, cut), (cut, stop)

    def shape(self, parts: tuple[Span, ...]) -> Shape:
        """The trees of the given parts."""
        heights: dict[Span, int] = {}

        def measure(span: Span) -> int:
            leaf = span[1] - span[0] <= self._leaf_words
            heights[span] = 0 if leaf else 1 + max(measure(half) for half in self.halves(span))
            return heights[span]

        highest = max((measure(part) for part in parts), default=0)
        spans = sorted(heights, key=lambda span: (heights[span], span))
        number = {span: k for k, span in enumerate(spans)}
        pairs = [self.halves(span) for span in spans if heights[span]]
        return Shape(
            self._words,
            self._leaf_words,
            leaves=tuple(span for span in spans if not heights[span]),
            forks=tuple((number[left], number[right]) for left, right in pairs),
            levels=tuple(sum(0 < height <= level for height in heights.values()) for level in range(highest + 1)),
            tops=tuple(number[part] for part in parts),
        )


class _LearnedCutter(_Cutter):
    """Cuts so that the part that varies more varies as little as can be."""

    def __init__(self, vectors: Words, present: dict[Span, int]) -> None:
        super().__init__(vectors.shape[1], ())
        self._vectors = vectors
        self._present = present
        self._seen = np.zeros(1 << _SEEN_BITS, np.uint32)
        self._stamp = 1
        self._cuts: dict[Span, int] = {}

    def halves(self, span: Span) -> tuple[Span, Span]:
        start, stop = span
        if span not in self._cuts:
            left = self._different(start, 1, stop - start - 1)
            right = self._different(stop - 1, -1, stop - start - 1)[::-1]
            varying = np.maximum(left, right)
            # Where all cuts are alike, as where all parts differ, the one in the middle.
            away = np.abs(2 * np.arange(start + 1, stop) - start - stop)
            best = int(np.lexsort((away, varying))[0])
            present = self._present.get(span, start) - start - 1
            keep = present >= 0 and varying[best] > _WORTH_A_CHANGE * varying[present]
            self._cuts[span] = start + 1 + (present if keep else best)
        return (start, self._cuts[span]), (self._cuts[span], stop)

    def _different(self, first: int, step: int, count: int) -> npt.NDArray[np.int64]:
        """Of the parts of one word, of two, and so on, in one direction: how many are different."""
        different = np.zeros(count, np.int64)
        hashes = np.zeros(len(self._vectors), np.uint64)
        distance = np.int64(step).view(np.uint64)
        _count_parts(self._vectors, first, distance, count, self._seen, self._stamp, hashes, different)
        self._stamp += count
        return different
