"""A queue of vectors: what a store that keeps no vectors still needs of the states that are not expanded yet."""

from __future__ import annotations

from collections import deque

import numpy as np

from ouroboros.engine.memory import Budget, Words

_BLOCK_BYTES = 1 << 20


class VectorQueue:
    """First in, first out, in blocks of the same size."""

    def __init__(self, words: int, budget: Budget, purpose: str) -> None:
        self.count = 0
        self._words = words
        self._budget = budget
        self._purpose = purpose
        self._rows = max(1, _BLOCK_BYTES // (words * 8))
        self._blocks: deque[Words] = deque()
        self._spare: list[Words] = []
        self._first = 0
        """Rows of the first block that are not in the queue any more."""
        self._last = self._rows
        """Rows of the last block that are in use."""

    def append(self, vectors: Words) -> None:
        """Raises OutOfMemory, and changes nothing, if there is no room."""
        rows = vectors.reshape(-1, self._words)
        self._prepare(len(rows) - (self._rows - self._last))
        while len(rows):
            if self._last == self._rows:
                self._blocks.append(self._spare.pop())
                self._last = 0
            some = min(len(rows), self._rows - self._last)
            self._blocks[-1][self._last : self._last + some] = rows[:some]
            self._last += some
            self.count += some
            rows = rows[some:]

    def _prepare(self, rows: int) -> None:
        needed = -(-rows // self._rows) - len(self._spare)
        if needed <= 0:
            return
        size = self._rows * self._words * 8
        self._budget.claim(self._purpose, (len(self._blocks) + len(self._spare) + needed) * size)
        self._spare += [np.empty((self._rows, self._words), np.uint64) for _ in range(needed)]

    def peek(self, most: int) -> Words:
        """The first vectors, at most so many; fewer at the end of a block. Valid until vectors are dropped."""
        if self.count == 0:
            return np.zeros(0, np.uint64)
        return self._blocks[0][self._first : min(self._first + most, self._first + self.count)].reshape(-1)

    def drop(self, vectors: int) -> None:
        """Remove the first vectors."""
        self.count -= vectors
        self._first += vectors
        while self._first >= self._rows or (self.count == 0 and self._blocks):
            # What is in use in the last block is not more than what was appended to it.
            self._first = max(0, self._first - self._rows) if self.count else 0
            self._spare.append(self._blocks.popleft())
            if not self._blocks:
                self._last = self._rows

    def clear(self) -> None:
        self.drop(self.count)
