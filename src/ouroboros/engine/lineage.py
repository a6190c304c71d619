"""How states were first reached, for stores that cannot give a state back.

Beside its parent a state has a tag, a byte of its hash: to rebuild a path, the steps from the initial state are made
again, and the tags tell which successor to follow.
"""

from __future__ import annotations

import numpy as np

from ouroboros.engine.hashing import hash_pair
from ouroboros.engine.parents import Parents, Runs
from ouroboros.jit import Width, kernel, width_of, words_in
from ouroboros.memory import Budget, Bytes, Ids, Words, reserve
from ouroboros.system.layout import Vector

_TAG_SEED = np.uint64(0x5851F42D4C957F2D)
_TAG = np.uint64(0xFF)


@kernel("void(uint64[::1], uint32[::1], int64, uint8[::1], width)")
def _tag_new(vectors: Words, targets: Ids, known: int, tags: Bytes, width: Width) -> None:
    """Note the tag of each new state: their ids follow on `known`, in order."""
    words = words_in(width)
    for k in range(targets.size):
        if targets[k] == known:
            tags[known] = hash_pair(vectors, np.uint64(k) * words, words, _TAG_SEED)[1] & _TAG
            known += 1


@kernel("uint64(uint64[::1], width)")
def _tag_of(vector: Words, width: Width) -> np.uint64:
    return hash_pair(vector, np.uint64(0), words_in(width), _TAG_SEED)[1] & _TAG


class Lineage(Parents):
    """Parents and tags of the states of one worker."""

    def __init__(self, words: int, states: int, budget: Budget) -> None:
        super().__init__(states, budget)
        self._width = width_of(words)
        self._tags = reserve(states, np.uint8)

    def adopt(self, targets: Ids, sources: Ids, vectors: Words | None, runs: Runs) -> None:
        """Note where the new ones among the targets came from, and what tells them from others."""
        assert vectors is not None
        _tag_new(vectors, targets, self.known, self._tags, self._width)
        super().adopt(targets, sources, vectors, runs)
        self._budget.claim("tags", self.known)

    def tag(self, state: int) -> int:
        return int(self._tags[state])

    def tag_of(self, vector: Vector) -> int:
        return int(_tag_of(np.array(vector, np.uint64), self._width))


class NoLineage(Lineage):
    """Of a search that is made again if there is a way to be told."""

    def __init__(self) -> None:
        self.known = 0

    def adopt(self, targets: Ids, sources: Ids, vectors: Words | None, runs: Runs) -> None:
        pass


def lineage(words: int, states: int, budget: Budget, ways: bool) -> Lineage:
    return Lineage(words, states, budget) if ways else NoLineage()
