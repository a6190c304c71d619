"""The tree store: every state is a tree whose nodes are shared, exact.

After Štill's tree compression: leaves and forks of all states are in tables of their own, and so are their roots. A
root is a pair of references to nodes, or, where the tree is cut into components only, a tuple of them; its number is
the state's id. What is not known before a search is learned from its first states: which shape of the tree suits them,
and whether they share enough to be worth one. If not, the roots are the vectors themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ouroboros.engine.stores.keys import KeyTable
from ouroboros.engine.stores.nodes import Nodes
from ouroboros.engine.stores.shape import Shape, Span, collapse_shape, flat_shape, learned_shape, tree_shape
from ouroboros.memory import Budget, Ids, OutOfMemory, Words
from ouroboros.system.layout import Vector

# There is a lesson to be learned whenever there are so many times the states of the last one.
_LESSONS_APART = 2
_FIRST_LESSON = 1 << 14
_LAST_SHAPE = 1 << 18
"""With more states than that, another shape would hardly be worth the time for the change."""
_FIRST_DOUBT = 1 << 17
"""With fewer states than that, all look different, and not worth a tree."""
_EARLY_DOUBT = 1.25
"""While there are few states, a tree may cost so many times as much as vectors: states will come to share more."""
_ROWS_AT_ONCE = 1 << 12
"""Vectors that are stored together, and of which one batch consists: their nodes stay in a near cache."""
_SAMPLE = 1 << 12
"""States from which a shape is learned."""


class _Share(Budget):
    """The part of a budget that one forest uses: it can be given back as a whole."""

    def __init__(self, budget: Budget, number: int) -> None:
        super().__init__(budget.limit)
        self._budget = budget
        self.number = number

    def claim(self, purpose: str, size: int) -> None:
        self._budget.claim(f"{purpose} in shape {self.number}", size)
        self._claims[purpose] = size

    def give_back(self) -> None:
        for purpose in list(self._claims):
            self.claim(purpose, 0)


class _Forest:
    """Trees of one shape."""

    def __init__(self, shape: Shape, budget: Budget, most_arrivals: int, short: bool) -> None:
        self.shape = shape
        self.nodes = Nodes(shape, budget, most_arrivals) if shape.tops else None
        self.roots = KeyTable(
            shape.root_words, budget, "states", pairs=bool(shape.tops), short=short and not shape.tops
        )

    def insert(self, arrivals: Words, total: int, ids: Ids, sources: Ids | None) -> None:
        if self.nodes:
            arrivals = self.nodes.root_keys(arrivals, total, sources)
            self.roots.refer_to(self.nodes.count)
        self.roots.intern(arrivals, total, ids)

    def batch(self, start: int, stop: int) -> Words:
        if self.nodes:
            return self.nodes.batch(self.roots, start, stop)
        return self.roots.range(start, stop)

    def gather(self, identifiers: Ids) -> Words:
        if self.nodes:
            return self.nodes.gather(self.roots, identifiers)
        return self.roots.gather(identifiers)

    def find(self, vector: Vector) -> int | None:
        key = self.nodes.find(vector) if self.nodes else vector
        return None if key is None else self.roots.find(*key)

    @property
    def bytes(self) -> int:
        return self.roots.bytes + (self.nodes.bytes if self.nodes else 0)


class TreeStore:
    """States of one worker, numbered from zero in the order of their first arrival."""

    def __init__(
        self,
        words: int,
        budget: Budget,
        most_arrivals: int,
        components: Sequence[Span] = (),
        *,
        collapse: bool = False,
        short: bool = False,
    ) -> None:
        """`short`: the upper half of the last word of every vector is zero."""
        self.words = words
        self._budget = budget
        self._short = short
        self._flat_stride = words * 8 - 4 * short
        self._rows = min(most_arrivals, _ROWS_AT_ONCE)
        self._share = _Share(budget, 1)
        shape = collapse_shape(words, components) if collapse else tree_shape(words, components)
        self._forest = _Forest(shape, self._share, self._rows, short)
        self._learns = not collapse
        self._lesson = _FIRST_LESSON
        self._count_before = self._bytes_before = 0

    @property
    def count(self) -> int:
        return self._forest.roots.count

    @property
    def bytes(self) -> int:
        return self._forest.bytes

    @property
    def size(self) -> int:
        """The bytes without those that tables have in reserve."""
        return self._forest.roots.size + (self._forest.nodes.size if self._forest.nodes else 0)

    def insert(self, arrivals: Words, total: int, ids: Ids, sources: Ids | None = None) -> None:
        """Set ids[k] for each of the arrivals. New states get the next ids in the order of arrival.

        Of successors of states in the last batch, only what differs from their source is looked up.
        """
        for start in range(0, total, self._rows):
            stop = min(start + self._rows, total)
            own = None if sources is None else sources[start:stop]
            self._forest.insert(arrivals[start * self.words : stop * self.words], stop - start, ids[start:stop], own)
        if self.count >= self._lesson and self._forest.nodes:
            self._learn(self._forest.nodes)

    def _learn(self, nodes: Nodes) -> None:
        """Change the shape, if what is stored suggests it."""
        count, size = self.count, nodes.size
        # What the latest states have added tells what the next ones will.
        per_state = (size - self._bytes_before) / (count - self._count_before)
        shape = nodes.shape
        doubt = _EARLY_DOUBT if count < _LAST_SHAPE else 1.0
        if count >= _FIRST_DOUBT and per_state + self._forest.roots.stride > doubt * self._flat_stride:
            shape = flat_shape(self.words)
        elif self._learns and count < 2 * _LAST_SHAPE:
            sample = np.linspace(0, count - 1, _SAMPLE).astype(np.uint32)
            shape = learned_shape(self.gather(sample).reshape(-1, self.words), shape)
        if shape != nodes.shape:
            self._change_shape(shape)
            size = self._forest.nodes.size if self._forest.nodes else 0
        self._count_before, self._bytes_before = count, size
        self._lesson = _LESSONS_APART * count if count >= _FIRST_DOUBT else min(_LESSONS_APART * count, _FIRST_DOUBT)

    def _change_shape(self, shape: Shape) -> None:
        """Both forests must be in memory for a while; if they cannot, all stays as it is."""
        share = _Share(self._budget, self._share.number + 1)
        ids = np.zeros(self._rows, np.uint32)
        try:
            forest = _Forest(shape, share, self._rows, self._short)
            for start in range(0, self.count, self._rows):
                stop = min(start + self._rows, self.count)
                forest.insert(self.vectors(start, stop), stop - start, ids, None)
        except OutOfMemory:
            share.give_back()
            return
        self._share.give_back()
        self._share, self._forest = share, forest

    def batch(self, start: int, stop: int) -> Words:
        """The vectors of consecutive ids that are about to be expanded, or of the first of them.

        Not to be changed, and valid until the next insertion or batch.
        """
        return self._forest.batch(start, min(stop, start + self._rows))

    def vectors(self, start: int, stop: int) -> Words:
        """A copy of the vectors of consecutive ids, one after the other."""
        return self.gather(np.arange(start, stop, dtype=np.uint32))

    def gather(self, identifiers: Ids) -> Words:
        """A copy of the vectors of any ids, one after the other."""
        return self._forest.gather(identifiers)

    def find(self, vector: Vector) -> int | None:
        """The id of a vector, if it is stored."""
        return self._forest.find(vector)

    def vector(self, identifier: int) -> Vector:
        return tuple(int(word) for word in self.vectors(identifier, identifier + 1))
