"""How states were first reached, in two bytes a state: for stores that cannot give a state back.

States of a worker are numbered in the order of arrival, and the edges of a message stand in the order of their sources.
So the parents of the new states in a message only grow: a byte holds the difference to the one before. Where it does
not fit, and where a message begins, a record has the whole. A second byte is a tag of the state's hash: to rebuild a
path, the steps from the initial state are made again, and the tags tell which successor to follow.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.engine.generation import Arrival
from ouroboros.engine.hashing import hash_pair
from ouroboros.engine.jit import Width, kernel, width_of, words_in
from ouroboros.engine.memory import Budget, Ids, Words, reserve
from ouroboros.system.layout import Vector

Bytes = npt.NDArray[np.uint8]

_MOST = 255
_BYTES_FOR_RECORD = 100  # of a tuple in a list
_TAG_SEED = np.uint64(0x5851F42D4C957F2D)
_TAG = np.uint64(0xFF)


class Record(NamedTuple):
    """From this state on, parents are at this worker, and this is the first one."""

    state: int
    owner: int
    parent: int


@kernel("UniTuple(int64, 3)(uint64[::1], uint32[::1], uint32[::1], int64, int64, int64, uint8[::1], uint8[::1], width)")
def _adopt(
    vectors: Words, targets: Ids, sources: Ids, k: int, known: int, parent: int, gaps: Bytes, tags: Bytes, width: Width
) -> tuple[int, int, int]:
    """Note gap and tag of each new state from edge k on, up to one whose gap does not fit; `parent` is the last one.

    Returns the edge, the state and the last parent where this ended.
    """
    words = words_in(width)
    while k < targets.size:
        if targets[k] == known:
            gap = int(sources[k]) - parent
            if gap < 0 or gap > _MOST:
                return k, known, parent
            gaps[known] = gap
            _, value = hash_pair(vectors, np.uint64(k) * words, words, _TAG_SEED)
            tags[known] = value & _TAG
            parent += gap
            known += 1
        k += 1
    return k, known, parent


@kernel("uint64(uint64[::1], width)")
def _tag_of(vector: Words, width: Width) -> np.uint64:
    return hash_pair(vector, np.uint64(0), words_in(width), _TAG_SEED)[1] & _TAG


class Lineage:
    """Of the states of one worker."""

    def __init__(self, words: int, states: int, budget: Budget) -> None:
        self._width = width_of(words)
        self._budget = budget
        self._gaps = reserve(states, np.uint8)
        self._tags = reserve(states, np.uint8)
        self._records: list[Record] = []
        self._known = 0

    def adopt(self, arrival: Arrival) -> None:
        """Note where the new ones among these targets came from."""
        assert arrival.vectors is not None
        k, parent = 0, -1 - _MOST
        while True:
            k, self._known, parent = _adopt(
                arrival.vectors,
                arrival.targets,
                arrival.sources,
                k,
                self._known,
                parent,
                self._gaps,
                self._tags,
                self._width,
            )
            if k == arrival.targets.size:
                break
            parent = int(arrival.sources[k])
            self._records.append(Record(self._known, arrival.sender, parent))
        self._budget.claim("parents", 2 * self._known + _BYTES_FOR_RECORD * len(self._records))

    def parent(self, state: int) -> tuple[int, int]:
        """The owner of a state's parent, and its id there."""
        record = self._records[bisect_right(self._records, state, key=lambda record: record.state) - 1]
        return record.owner, record.parent + int(self._gaps[record.state : state + 1].sum())

    def tag(self, state: int) -> int:
        return int(self._tags[state])

    def tag_of(self, vector: Vector) -> int:
        return int(_tag_of(np.array(vector, np.uint64), self._width))
