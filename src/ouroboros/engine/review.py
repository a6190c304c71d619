"""States of which steps were left out, and which of them need the rest after all.

A search that leaves out a step must not do so for ever, if what is asked depends on that step. Here a state may go
without it if one of its successors is first reached from this level, for that successor is still to be expanded; in the
last level there is none like that. All others are expanded once more, with the steps that are wanted, before the level
ends (the queue proviso of Bošnački and Holzmann, 2005, by levels: within one, two states may lead to each other).

Which states these are depends on the levels alone and not on who finds what first: it is the same for any number of
workers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ouroboros.engine.generation import Generation
from ouroboros.graph.notes import TRANSITIONS
from ouroboros.graph.protocol import ReducedGraph
from ouroboros.jit import kernel
from ouroboros.memory import Ids

Bits = npt.NDArray[np.uint8]


@kernel("void(uint32[::1], uint32, uint8[::1])")
def _mark_new(targets: Ids, level_end: int, bits: Bits) -> None:
    for k in range(targets.size):
        bits[k] = targets[k] >= level_end


@kernel("void(uint32[::1], uint8[::1], int64, uint32[::1], int64[::1])")
def _count_steps(sources: Ids, bits: Bits, first: int, slots: Ids, steps: npt.NDArray[np.int64]) -> None:
    """For the reduced states, by their places: how many steps each has made; less than zero where one led on."""
    for k in range(bits.size):
        at = np.int64(sources[k]) - first
        if at < 0 or at >= slots.size or slots[at] == 0:
            continue
        slot = np.int64(slots[at]) - 1
        if bits[k]:
            steps[slot] = -1
        elif steps[slot] >= 0:
            steps[slot] += 1


class Review:
    """Of one worker's states."""

    def __init__(self, graph: ReducedGraph, generation: Generation) -> None:
        self._graph = graph
        self._generation = generation
        self.pending: Ids = np.zeros(0, np.uint32)
        """States that are to be expanded once more."""

    def begin(self) -> Ids:
        """The states to be expanded once more now, if there are any."""
        self._graph.again = self.pending.size > 0
        return self.pending

    def end(self, expanded: int) -> None:
        """So many of them were expanded."""
        self.pending = self.pending[expanded:]
        self._graph.again = False

    def after_round(self, level_end: int) -> None:
        """Find those of the round's states that need the rest of their steps. Collective."""
        reduced = self._graph.take_reduced()
        generation = self._generation
        if not reduced.size and generation.exchange.size == 1:
            # Nobody else wants to know what was new.
            return
        bits = [np.zeros(ids.size, np.uint8) for ids in generation.answers]
        for ids, new in zip(generation.answers, bits, strict=True):
            _mark_new(ids, level_end, new)
        if generation.exchange.size > 1:
            (bits,) = generation.exchange.swap(bits)
        if not reduced.size:
            return
        first = int(reduced.min())
        slots = np.zeros(int(reduced.max()) - first + 1, np.uint32)
        slots[reduced - first] = np.arange(1, reduced.size + 1, dtype=np.uint32)
        steps = np.zeros(reduced.size, np.int64)
        for sources, new in zip(generation.sources_by_owner, bits, strict=True):
            _count_steps(sources, new, first, slots, steps)
        lacking = steps >= 0
        # They will be counted with the others.
        generation.notes[TRANSITIONS] -= int(steps[lacking].sum())
        self.pending = np.concatenate([self.pending, reduced[lacking]])
