"""Nested depth-first search with a filter instead of a store (Courcoubetis, Vardi, Wolper, Yannakakis; Holzmann).

Which states were visited, by the blue and by the red search, is in a Bloom filter, under two different hashes. Whole
states are on the stack only, so a red search looks for its root: a cycle that it closes is real.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.engine.hashing import hash_pair
from ouroboros.engine.limits import Progress, ending
from ouroboros.engine.stores.bitstate import Filter, is_new
from ouroboros.graph.automaton import location_in
from ouroboros.graph.notes import (
    DEADLOCKS,
    FAILURE_AT,
    FAILURES,
    INVALID_AT,
    NOTHING,
    OVERFLOWS,
    ROOM_SITE,
    SEEN_FALSE,
    SEEN_TRUE,
    TRANSITIONS,
    counted,
    new_notes,
    take_back,
)
from ouroboros.graph.product import Product, ProductGraph, expand_product
from ouroboros.graph.protocol import Batch
from ouroboros.graph.stepping import Frames
from ouroboros.jit import Width, inlined, inside, kernel, record, words_in
from ouroboros.jit.clock import cpu_now, now
from ouroboros.memory import OutOfMemory, Words, reserve
from ouroboros.search.ndfs import NestedResult
from ouroboros.search.worker import Worker
from ouroboros.system.layout import Vector
from ouroboros.verdict.outcome import Finding, LimitName, Statistics

_expand_product = inside(expand_product)

Control = npt.NDArray[np.int64]

# What a call of the kernel ends with.
_DONE, _FOUND, _FULL, _CROWDED, _PAUSE = range(5)

# Control: frames on the stack, rows in the pool of successors, the frame of the red search's root (0: blue), the
# deepest stack, the states visited, the largest pool, why a state could not be expanded.
_DEPTH, _POOL, _ROOT, _DEEPEST, _STATES, _LARGEST, _REASON = range(7)

_STEPS = 1 << 18
_RED = np.uint64(0x9E3779B97F4A7C15)
_NOT_EXPANDED = -1


@inlined
def _push(stack: Words, frames: Frames, control: Control, vectors: Words, at: int, words: int) -> None:
    frame = control[_DEPTH]
    for w in range(words):
        stack[frame * words + w] = vectors[at + w]
    frames[frame, 0] = _NOT_EXPANDED
    control[_DEPTH] = frame + 1
    control[_DEEPEST] = max(control[_DEEPEST], frame + 1)


@record("uint64[::1], int64[:, ::1], uint64[::1], int64[::1]")
class Depths(NamedTuple):
    """The stack of states with its frames, the pool of successors, and control."""

    stack: Words
    frames: Frames
    pool: Words
    control: Control


@kernel("int64(Product, Filter, Batch, Depths, int64, width)")
def _search(product: Product, bloom: Filter, room: Batch, depths: Depths, steps: int, width: Width) -> int:
    """Go on with the search for so many steps; returns why it stopped.

    frames[f] is where the successors of frame f start, go on and end in the pool, in rows.
    """
    words = int(words_in(width))
    stack, frames, pool, control = depths
    out, notes, beside, most = room.out, room.notes, product.beside, product.most
    bits, filter_mask, hashes, seed = bloom
    while steps > 0 and control[_DEPTH] > 0:
        steps -= 1
        frame = control[_DEPTH] - 1
        at = frame * words
        if frames[frame, 0] == _NOT_EXPANDED:
            first = control[_POOL]
            if (first + most) * words > pool.size or (frame + 3) * words > stack.size or frame + 3 > len(frames):
                return _FULL
            before = counted(notes)
            batch = Batch(stack[at : at + words], room.identifiers, out, room.sources, notes)
            expanded, found = _expand_product(product, batch, width)
            if expanded == 0:
                control[_REASON] = found
                return _CROWDED
            if notes[FAILURE_AT] != NOTHING or notes[INVALID_AT] != NOTHING or notes[ROOM_SITE] != NOTHING:
                return _FOUND
            if control[_ROOT]:
                # The blue search was here before, and has counted it all.
                take_back(notes, before)
            for k in range(found * words):
                pool[first * words + k] = out[k]
            control[_POOL] += found
            control[_LARGEST] = max(control[_LARGEST], control[_POOL])
            frames[frame, 0] = first
            frames[frame, 1] = first
            frames[frame, 2] = first + found
        elif frames[frame, 1] < frames[frame, 2]:
            target = frames[frame, 1] * words
            frames[frame, 1] += 1
            if control[_ROOT]:
                root = control[_ROOT] * words
                difference = np.uint64(0)
                for w in range(words):
                    difference |= stack[root + w] ^ pool[target + w]
                if difference == 0:
                    return _FOUND
                first_hash, second_hash = hash_pair(pool, np.uint64(target), np.uint64(words), seed ^ _RED)
            else:
                first_hash, second_hash = hash_pair(pool, np.uint64(target), np.uint64(words), seed)
            if is_new(bits, filter_mask, hashes, first_hash, second_hash):
                control[_STATES] += control[_ROOT] == 0
                _push(stack, frames, control, pool, target, words)
        else:
            control[_POOL] = frames[frame, 0]
            if control[_ROOT] == 0 and beside.accepting[location_in(stack, at, beside)]:
                # The root stays on the stack twice: below as the end of the way to it.
                control[_ROOT] = control[_DEPTH]
                _push(stack, frames, control, stack, at, words)
                continue
            control[_DEPTH] -= 1
            if control[_ROOT] == frame:
                # The red search is over; the blue frame below it has no successors left and goes next, without another.
                control[_ROOT] = 0
                control[_DEPTH] -= 1
    return _PAUSE if control[_DEPTH] > 0 else _DONE


class BitstateNestedSearch:
    def __init__(self, graph: ProductGraph, worker: Worker) -> None:
        words = graph.words
        self.graph = graph
        self.budget = budget = worker.budget
        self.limits = worker.limits
        self.observer = worker.observer
        self.filter = worker.store.bloom_filter(words, budget, 1)
        self.notes = new_notes()
        room = budget.limit // (words * 8)
        self.stack = reserve(room * words, np.uint64)
        self.frames = reserve(3 * room, np.int64).reshape(-1, 3)
        self.pool = reserve(room * words, np.uint64)
        self.control = np.zeros(7, np.int64)
        self.started = now()
        self.cpu_started = cpu_now()

    def run(self) -> NestedResult:
        """Search from every initial state, one after the other."""
        try:
            for vector in self.graph.initial:
                result = self._from(vector)
                if result:
                    return result
        except OutOfMemory:
            return NestedResult(self._statistics(), limit="memory")
        return NestedResult(self._statistics())

    def _from(self, vector: Vector) -> NestedResult | None:
        row = np.array(vector, np.uint64)
        if not self.filter.insert(row, 1, np.zeros(1, np.uint32), row.copy()):
            return None
        self.control[_STATES] += 1
        self.stack[: row.size] = row
        self.frames[0, 0] = _NOT_EXPANDED
        self.control[_DEPTH] = 1
        while True:
            ending = self._some_steps()
            self._claim()
            if ending == _FOUND:
                return self._found()
            if ending == _DONE:
                return None
            limit = self._limit()
            if limit:
                return NestedResult(self._statistics(), limit=limit)
            if ending == _FULL:
                raise OutOfMemory("stack")
            if ending == _CROWDED:
                self.graph.grow(int(self.control[_REASON]), self.graph.most_successors)
            if self.observer:
                states, depth = int(self.control[_STATES]), int(self.control[_DEPTH])
                transitions = int(self.notes[TRANSITIONS])
                self.observer(Progress("nested DFS", states, transitions, depth, depth, self.budget.used))

    def _some_steps(self) -> int:
        most, words = self.graph.most_successors, self.graph.words
        out, sources = np.zeros(most * words, np.uint64), np.zeros(most, np.uint32)
        room = Batch(self.stack, np.zeros(1, np.uint32), out, sources, self.notes)
        depths = Depths(self.stack, self.frames, self.pool, self.control)
        return _search(self.graph.product, self.filter.filter, room, depths, _STEPS, self.graph.width)

    def _found(self) -> NestedResult:
        depth, root, words = int(self.control[_DEPTH]), int(self.control[_ROOT]), self.graph.words
        states = [tuple(row) for row in self.stack[: depth * words].reshape(-1, words).tolist()]
        wrong = [
            Finding("room", [], site=int(self.notes[ROOM_SITE])) if self.notes[ROOM_SITE] != NOTHING else None,
            Finding("proposition", states) if self.notes[INVALID_AT] != NOTHING else None,
            Finding("failure", states) if self.notes[FAILURE_AT] != NOTHING else None,
        ]
        for finding in wrong:
            if finding:
                return NestedResult(self._statistics(), lasso=finding, violated=True)
        # From the root, which is on the stack twice, back to itself.
        cycle = Finding("cycle", states[:root], [*states[root + 1 :], states[root]])
        return NestedResult(self._statistics(), states[root], cycle)

    def _claim(self) -> None:
        words = self.graph.words
        rows = int(self.control[_DEEPEST]) + int(self.control[_LARGEST])
        self.budget.claim("stack", rows * words * 8 + int(self.control[_DEEPEST]) * 24)

    def _limit(self) -> LimitName | None:
        if self.limits.expired:
            return ending(self.limits.expired)
        if self.limits.states is not None and self.control[_STATES] > self.limits.states:
            return "states"
        return None

    def _statistics(self) -> Statistics:
        failures, overflows = int(self.notes[FAILURES]), int(self.notes[OVERFLOWS])
        error_state = int(failures + overflows > 0)
        # The red search has set bits as well, for no more states than the blue one.
        self.filter.count = 2 * int(self.control[_STATES])
        return Statistics(
            states=int(self.control[_STATES]) + error_state,
            transitions=int(self.notes[TRANSITIONS]),
            deadlocks=int(self.notes[DEADLOCKS]) + error_state,
            failures=failures,
            overflows=overflows,
            depth=int(self.control[_DEEPEST]),
            bytes=self.budget.used,
            seen_true=int(self.notes[SEEN_TRUE]),
            seen_false=int(self.notes[SEEN_FALSE]),
            seconds=now() - self.started,
            cpu_seconds=cpu_now() - self.cpu_started,
            coverage=self.filter.coverage,
        )
