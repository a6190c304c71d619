"""How a vector is cut into a tree.

A step of one process changes few words, and makes only the nodes above these new. So the tree is cut along the borders
of components first: what changes together stays together (Štill: the model gives hints on the shape of the tree).
Later the states themselves tell more. A tree has the fewest nodes if both sides of each fork vary alike: n states may
be pairs of as few as √n different halves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ouroboros.engine.memory import Words

Span = tuple[int, int]
"""The words from the first number up to, but not including, the second."""

_MOST_LEAF_WORDS = 4
"""Wider leaves make fewer look-ups and larger tables."""


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


def learned_shape(vectors: Words) -> Shape:
    """A binary tree that suits these vectors, of two words or more."""
    words = vectors.shape[1]
    cutter = _Cutter(words, range(1, words), [_entropy(column) for column in vectors.T])
    return cutter.shape(cutter.halves((0, words)))


def collapse_shape(words: int, components: Iterable[Span]) -> Shape:
    """A root that refers to each of the components, as Spin's collapse has it. A single component is no tree."""
    borders = _borders(words, components)
    return _Cutter(words, borders).shape(tuple(pairwise([0, *borders, words])) if borders else ())


def _borders(words: int, components: Iterable[Span]) -> list[int]:
    """Where a component begins or ends. Components may share words, for they are packed by bits."""
    return sorted({border for span in components for border in span if 0 < border < words})


def _entropy(column: Words) -> float:
    """How many bits of information a word has."""
    _, counts = np.unique(column, return_counts=True)
    return float(np.log2(column.size) - (counts * np.log2(counts)).sum() / column.size)


class _Cutter:
    """Cuts at borders first, so that both parts have the same weight."""

    def __init__(self, words: int, borders: Sequence[int], weights: Sequence[float] | None = None) -> None:
        self._words = words
        self._leaf_words = max(1, min(words - 1, _MOST_LEAF_WORDS))
        self._borders = borders
        self._weight_before = np.concatenate([[0.0], np.cumsum(weights or [1.0] * words)])

    def halves(self, span: Span) -> tuple[Span, Span]:
        """The two parts of a span of two words or more."""
        start, stop = span
        inside = [border for border in self._borders if start < border < stop]
        before = self._weight_before
        middle = (before[start] + before[stop]) / 2
        cut = min(inside or range(start + 1, stop), key=lambda border: abs(float(before[border] - middle)))
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
