"""How states were first reached: the parent of each and its owner, in little more than a byte a state.

States of a worker are numbered in the order of arrival, and edges from one worker stand in the order of their sources.
So the parents of the new states in a run of them only grow: a byte holds the difference to the one before. Where it
does not fit, and where a run begins, a record has the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.jit import kernel, prepare
from ouroboros.memory import Budget, Bytes, Ids, Words, reserve

INITIAL = (1 << 32) - 1
"""The parent of an initial state."""

_MOST = np.uint64(255)
_FAR_AWAY = -(1 << 40)
_BYTES_FOR_RECORD = 10

Owners = npt.NDArray[np.uint16]
Ends = npt.NDArray[np.int64]


@dataclass(frozen=True, order=True)
class Place:
    """A stored state: its owner and its id there."""

    owner: int
    identifier: int


class Runs(NamedTuple):
    """Edges from one worker after those from another. In a run, the sources only grow."""

    senders: Owners
    ends: Ends

    @classmethod
    def one(cls, sender: int, edges: int) -> Runs:
        return cls(np.array([sender], np.uint16), np.array([edges], np.int64))


@kernel(
    "UniTuple(int64, 2)(uint32[::1], uint32[::1], uint16[::1], int64[::1], int64, uint8[::1], int64, uint32[::1],"
    " uint16[::1], uint32[::1])"
)
def _adopt(
    targets: Ids,
    sources: Ids,
    senders: Owners,
    ends: Ends,
    known: int,
    gaps: Bytes,
    records: int,
    states: Ids,
    owners: Owners,
    parents: Ids,
) -> tuple[int, int]:
    """Note the source of each new state: their ids follow on `known`, in order. Returns the states and records then."""
    first = 0
    for run in range(ends.size):
        last = np.int64(_FAR_AWAY)
        for k in range(first, ends[run]):
            source = np.int64(sources[k])
            new = targets[k] == known
            gap = source - last
            # Written in any case: which arrivals are new cannot be predicted, and a wrong guess costs more than that.
            gaps[known] = gap
            # That it is far away is asked first, for nearly none is.
            if (np.uint64(gap) > _MOST) & new:
                gaps[known] = 0
                states[records] = known
                owners[records] = senders[run]
                parents[records] = source
                records += 1
            last = source if new else last
            known += new
        first = ends[run]
    return known, records


@kernel("int64(uint16[::1], uint32[::1], uint8[::1], uint32[::1], uint16[::1], uint32[::1])")
def _encode(
    owners: Owners, parents: Ids, gaps: Bytes, record_states: Ids, record_owners: Owners, record_parents: Ids
) -> int:
    """Note the parent of each state; returns how many records that takes."""
    records = 0
    for state in range(parents.size):
        gap = np.int64(parents[state]) - np.int64(parents[state - 1]) if state > 0 else np.int64(-1)
        if gap < 0 or gap > 255 or owners[state] != owners[state - 1]:
            record_states[records] = state
            record_owners[records] = owners[state]
            record_parents[records] = parents[state]
            records += 1
            gap = np.int64(0)
        gaps[state] = gap
    return records


class Parents:
    """Of the states of one worker."""

    def __init__(self, states: int, budget: Budget) -> None:
        self.known = 0
        """States whose parents are noted."""
        self._budget = budget
        self._gaps = reserve(states, np.uint8)
        # From this state on parents are at this worker, and this is the first of them.
        self._record_states = reserve(states, np.uint32)
        self._record_owners = reserve(states, np.uint16)
        self._record_parents = reserve(states, np.uint32)
        self._records = 0
        prepare(_adopt)

    def adopt(self, targets: Ids, sources: Ids, vectors: Words | None, runs: Runs) -> None:
        """Note where the new ones among the targets of edges, which are these vectors, came from."""
        self.known, self._records = _adopt(
            targets,
            sources,
            *runs,
            self.known,
            self._gaps,
            self._records,
            self._record_states,
            self._record_owners,
            self._record_parents,
        )
        self._claim()

    def _claim(self) -> None:
        self._budget.claim("parents", self.known + _BYTES_FOR_RECORD * self._records)

    def columns(self, start: int, stop: int) -> tuple[Owners, Ids]:
        """The owners of the parents of consecutive states, and their ids there."""
        states = np.arange(start, stop)
        records = np.searchsorted(self._record_states[: self._records], states, side="right") - 1
        parents = np.cumsum(self._gaps[start:stop], dtype=np.int64)
        firsts = self._record_states[records].astype(np.int64)
        inside = firsts >= start
        before = np.zeros(states.size, np.int64)
        before[inside] = self._record_parents[records[inside]] - parents[firsts[inside] - start]
        if start < stop:
            before[~inside] = self.parent(start)[1] - parents[0]
        return self._record_owners[records], (parents + before).astype(np.uint32)

    def restore(self, owners: Owners, parents: Ids) -> None:
        """Note the parents of all states that are stored; none has one yet."""
        self.known = parents.size
        self._records = _encode(
            owners, parents, self._gaps, self._record_states, self._record_owners, self._record_parents
        )
        self._claim()

    def parent(self, state: int) -> tuple[int, int]:
        """The owner of a state's parent, and its id there."""
        record = int(np.searchsorted(self._record_states[: self._records], state, side="right")) - 1
        first = int(self._record_states[record])
        parent = int(self._record_parents[record]) + int(self._gaps[first : state + 1].sum(dtype=np.int64))
        return int(self._record_owners[record]), parent
