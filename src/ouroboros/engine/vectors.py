"""A queue of vectors: what a store that keeps no vectors still needs of the states that are not expanded yet.

It stands in blocks. The first and the last are in memory; what is between them goes to a file once it is more than a
share of the memory limit, and comes back before it is needed. The file has no name: it is gone when its process is,
however that ends.
"""

from __future__ import annotations

import os
import tempfile
from collections import deque
from typing import BinaryIO, cast

import numpy as np

from ouroboros.memory import Budget, OutOfDisk, Words

_BLOCK_BYTES = 1 << 20
_SHARE_OF_MEMORY = 16
"""A queue keeps at most the limit divided by this in memory, if it has a file to put the rest."""
_LEAST_BLOCKS = 4


class VectorQueue:
    """First in, first out, in blocks of the same size."""

    def __init__(self, words: int, budget: Budget, purpose: str) -> None:
        self.count = 0
        self._words = words
        self._budget = budget
        self._purpose = purpose
        self._rows = max(1, _BLOCK_BYTES // (words * 8))
        self._size = self._rows * words * 8
        self._blocks: deque[Words | int] = deque()
        """Each is in memory, or at this place in the file."""
        self._spare: list[Words] = []
        self._allocated = 0
        self._most = max(_LEAST_BLOCKS, budget.limit // (_SHARE_OF_MEMORY * self._size))
        self._file: BinaryIO | None = None
        self._file_end = 0
        self._free: list[int] = []
        """Places in the file that can be written again."""
        self._first = 0
        """Rows of the first block that are not in the queue any more."""
        self._last = self._rows
        """Rows of the last block that are in use."""

    def append(self, vectors: Words) -> None:
        """Raises OutOfMemory or OutOfDisk if there is no room for all."""
        rows = vectors.reshape(-1, self._words)
        while len(rows):
            if self._last == self._rows:
                self._make_room()
                self._blocks.append(self._block())
                self._last = 0
            some = min(len(rows), self._rows - self._last)
            last = cast(Words, self._blocks[-1])
            last[self._last : self._last + some] = rows[:some]
            self._last += some
            self.count += some
            rows = rows[some:]

    def peek(self, most: int) -> Words:
        """The first vectors, at most so many; fewer at the end of a block. Valid until vectors are dropped."""
        if self.count == 0:
            return np.zeros(0, np.uint64)
        first = cast(Words, self._blocks[0])
        return first[self._first : min(self._first + most, self._first + self.count)].reshape(-1)

    def drop(self, vectors: int) -> None:
        """Remove the first vectors."""
        self.count -= vectors
        self._first += vectors
        while self._first >= self._rows or (self.count == 0 and self._blocks):
            self._first = max(0, self._first - self._rows) if self.count else 0
            gone = self._blocks.popleft()
            if isinstance(gone, int):
                self._free.append(gone)
            else:
                self._spare.append(gone)
            if not self._blocks:
                self._last = self._rows
        if self._blocks and isinstance(self._blocks[0], int):
            self._blocks[0] = self._read(self._blocks[0])

    def clear(self) -> None:
        self.drop(self.count)

    def _block(self) -> Words:
        if not self._spare:
            self._budget.claim(self._purpose, (self._allocated + 1) * self._size)
            self._spare.append(np.empty((self._rows, self._words), np.uint64))
            self._allocated += 1
        return self._spare.pop()

    def _make_room(self) -> None:
        """Write the last block, which is full, to the file, if there are many in memory."""
        if self._budget.scratch is None or self._spare or self._allocated < self._most or len(self._blocks) < 2:
            return
        block = cast(Words, self._blocks[-1])
        try:
            if self._file is None:
                # Open as long as this is there, so no `with`.
                self._file = cast(BinaryIO, tempfile.TemporaryFile(dir=self._budget.scratch, buffering=0))  # noqa: SIM115 - it lives as long as the queue
            at = self._free.pop() if self._free else self._file_end
            self._file_end = max(self._file_end, at + self._size)
            data = block.reshape(-1).view(np.uint8).data
            written = 0
            while written < self._size:
                written += os.pwrite(self._file.fileno(), data[written:], at + written)
        except OSError as error:
            raise OutOfDisk(f"{self._purpose} in {self._budget.scratch}: {error.strerror}") from error
        self._blocks[-1] = at
        self._spare.append(block)

    def _read(self, at: int) -> Words:
        block = self._block()
        assert self._file
        try:
            data = block.reshape(-1).view(np.uint8).data
            done = 0
            while done < self._size:
                got = os.preadv(self._file.fileno(), [data[done:]], at + done)
                if got == 0:
                    raise OSError(0, "the file has become shorter")
                done += got
            if hasattr(os, "posix_fadvise"):
                following = next((place for place in self._blocks if isinstance(place, int) and place != at), None)
                if following is not None:
                    os.posix_fadvise(self._file.fileno(), following, self._size, os.POSIX_FADV_WILLNEED)
        except OSError as error:
            raise OutOfDisk(f"{self._purpose} in {self._budget.scratch}: {error.strerror}") from error
        self._free.append(at)
        return block
