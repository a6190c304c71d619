"""Who stores a state: the worker whose share of the hash range its first words fall into."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ouroboros.engine.hashing import owner_of, quick_hash
from ouroboros.jit import kernel, prepare
from ouroboros.memory import Words
from ouroboros.system.layout import Vector

Number = Any
Owners = npt.NDArray[np.uint16]


@kernel("void(uint64[::1], uint64, uint64, uint64, uint16[::1])")
def _owners_of(vectors: Words, words: Number, owning: Number, workers: int, owners: Owners) -> None:
    for k in range(owners.size):
        owners[k] = owner_of(quick_hash(vectors, np.uint64(k) * words, owning), workers)


class Ownership:
    """Of states of so many words, the first few of which decide, among so many workers."""

    def __init__(self, words: int, owning: int, workers: int) -> None:
        self._words, self._owning, self._workers = words, owning, workers
        prepare(_owners_of)

    def of(self, vectors: Words) -> Owners:
        """The worker that stores each of the vectors."""
        owners = np.zeros(vectors.size // self._words, np.uint16)
        _owners_of(vectors, self._words, self._owning, self._workers, owners)
        return owners

    def of_one(self, vector: Vector) -> int:
        return int(self.of(np.array(vector, np.uint64))[0])
