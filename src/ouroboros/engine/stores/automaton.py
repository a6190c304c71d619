"""The set of states as the minimal automaton that accepts their vectors, byte by byte: exact, often in a byte a state.

After Holzmann and Puri's minimised automata, Spin's -DMA. What states have in common at their beginnings and at their
ends is there once. The automaton says of a vector whether it is in the set, and gives no state back: so it is for
searches that look at each state once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ouroboros.engine.stores.automaton_nodes import (
    ARCS,
    HEAD,
    LAST_LETTER,
    MOST_CELLS,
    NODES,
    REFERENCES,
    ROOT,
    USED,
    NodeStore,
    add_words,
    enter_again,
)
from ouroboros.jit import prepare
from ouroboros.memory import Budget, Ids, OutOfMemory, Words, reserve

_FIRST_CHAINS = 1 << 12
_STEP = 1.25
"""How much more room there is after each growth: it costs nothing but a claim."""
_MOST_CELLS = (1 << 32) - 1


class WordAutomaton:
    """States of one worker, by the numbers of their bytes that say anything."""

    identity_bits: int | None = None
    coverage: float | None = None

    def __init__(self, words: int, budget: Budget, places: Sequence[int]) -> None:
        self.count = 0
        self._words = words
        self._budget = budget
        length = max(1, len(places))
        self._room = 4 * length * MOST_CELLS
        budget.claim("states", 4 * (self._room + _FIRST_CHAINS))
        cells = reserve(min(_MOST_CELLS, max(self._room, budget.limit // 4)), np.uint32)
        self._table = NodeStore(
            cells=cells,
            register=np.zeros(_FIRST_CHAINS, np.uint32),
            free=np.zeros(MOST_CELLS + 1, np.uint32),
            numbers=np.zeros(3, np.int64),
            places=np.array(places or [0], np.uint8),
            path=np.zeros(length, np.uint32),
            letters=np.zeros(length, np.uint32),
        )
        # A root without arcs, at the first place; zero is no node.
        cells[1 + REFERENCES] = 1
        cells[1 + ARCS] = LAST_LETTER if length == 1 else 0
        self._table.numbers[ROOT] = 1
        self._table.numbers[USED] = 1 + HEAD
        prepare(add_words)

    @property
    def nodes(self) -> int:
        """Those that are in the register: all but the root."""
        return int(self._table.numbers[NODES])

    @property
    def bytes(self) -> int:
        return 4 * (int(self._table.numbers[USED]) + self._table.register.size)

    def insert(self, arrivals: Words, total: int, ids: Ids, fresh: Words) -> int:
        """Set ids[k] for each of the arrivals: the next ids for new states, OLD for the others.

        The vectors of the new ones are copied to `fresh`; returns how many there are.
        """
        before = self.count
        done = 0
        while done < total:
            to = fresh[(self.count - before) * self._words :]
            done, self.count = add_words(
                arrivals, done, total, self._words, self.count, self._room, self._table, ids, to
            )
            if done < total:
                self._grow()
        return self.count - before

    def _grow(self) -> None:
        if self.nodes > 2 * self._table.register.size:
            larger = np.zeros(4 * self._table.register.size, np.uint32)
            self._claim(self._room, larger.size)
            enter_again(self._table, larger)
            self._table = self._table._replace(register=larger)
        if self._table.numbers[USED] + self._table.letters.size * MOST_CELLS > self._room:
            room = min(int(_STEP * self._room), self._table.cells.size)
            if room == self._room:
                raise OutOfMemory("states")
            self._claim(room, self._table.register.size)
            self._room = room

    def _claim(self, cells: int, chains: int) -> None:
        self._budget.claim("states", 4 * (cells + chains))
