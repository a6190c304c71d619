"""Nested depth-first search, on the fly, with early detection of cycles on the stack (Schwoon and Esparza, 2005).

The blue search visits states in depth-first order; a state is cyan while it is on the blue stack. When the blue search
leaves an accepting state, a red search from it looks for a way back to a cyan state. An edge to a cyan state closes a
cycle at once if one of its ends is accepting. The recursion is a stack in arrays, so depth is limited by memory alone.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ouroboros.checkpoint.keeper import Keeper
from ouroboros.checkpoint.shares import section
from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.engine.expansion import (
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
    Notes,
    new_notes,
)
from ouroboros.engine.jit import Width, address_of, array_at, inlined, inside, kernel, words_in
from ouroboros.engine.limits import Forecast, LimitName, Limits, Observer, Progress, ending
from ouroboros.engine.memory import WORD_BYTES, Budget, Ids, OutOfMemory, Words, reserve
from ouroboros.engine.product import ProductExpansion, expand_product
from ouroboros.engine.stores.base import MOST_STATES
from ouroboros.engine.stores.choice import FULL, StoreChoice
from ouroboros.engine.stores.full import FullStore
from ouroboros.engine.stores.keys import IN_FLIGHT, intern_keys
from ouroboros.search.outcome import Finding, Statistics
from ouroboros.system.layout import Vector

_expand_product = inside(expand_product)
_intern_keys = inside(intern_keys)

Marks = npt.NDArray[np.uint8]
Frames = npt.NDArray[np.int64]

_CYAN, _BLUE, _RED, _ACCEPTING = np.uint8(1), np.uint8(2), np.uint8(4), np.uint8(8)

# What a call of the kernel ends with.
_DONE, _FOUND, _FULL, _CROWDED, _PAUSE = range(5)

# Control: frames on the stack, entries in the pool of successors, the frame of the red search's root (0: blue), the
# accepting state that was found (or why a state could not be expanded), the cyan state that closes its cycle, the
# deepest stack.
_DEPTH, _POOL, _ROOT, _RESULT, _CLOSING, _DEEPEST = range(6)

_NOT_EXPANDED = (1, 0, 0)
"""A frame that starts behind its end."""

_STEPS = 1 << 18

_AT_ONCE = 1 << 10
"""States of a checkpoint that are stored together."""

_ALL_BITS = np.uint64((1 << 64) - 1)
_OTHERS = 2 + 9
"""With another store, OWCTY would be the algorithm: the bytes of a parent, and of what it knows of a state."""


@inlined
def _push(stack: Ids, frames: Frames, control: npt.NDArray[np.int64], state: np.uint32) -> None:
    """Put a state on the stack, to be expanded."""
    frame = control[_DEPTH]
    stack[frame] = state
    for k in range(3):
        frames[frame, k] = _NOT_EXPANDED[k]
    control[_DEPTH] = frame + 1
    control[_DEEPEST] = max(control[_DEEPEST], frame + 1)


@kernel(
    "Tuple((int64, int64))(int64, int64, int64, boolean, uint64[::1], int64, uint32[::1], int64, uint32, uint64[::1],"
    " uint32[::1], uint32[::1], uint64[::1], uint32[::1], uint32[::1], uint8[::1], int64, int64[:, ::1], uint64[::1],"
    " int64, int64[::1], uint8[::1], uint8[::1], uint32[::1], int64[:, ::1], uint32[::1], int64[::1], int64, int64,"
    " uint64, uint64, int64[::1], uint64[:, ::1], width)"
)
def _search(
    successors: int,
    valuation: int,
    most: int,
    extends: bool,
    vectors: Words,
    count: int,
    index: Ids,
    room: int,
    tag_mask: np.uint32,
    hashes: Words,
    slots: Ids,
    ids: Ids,
    out: Words,
    sources: Ids,
    labels: Ids,
    sites: Marks,
    endless: int,
    passage_frames: Frames,
    passed: Words,
    most_steps: int,
    notes: Notes,
    colours: Marks,
    accepting: Marks,
    stack: Ids,
    frames: Frames,
    pool: Ids,
    control: npt.NDArray[np.int64],
    steps: int,
    word: int,
    shift: int,
    mask: int,
    first_edges: npt.NDArray[np.int64],
    edges: Words,
    width: Width,
) -> tuple[int, int]:
    """Go on with the search for so many steps; returns why it stopped, and the number of states.

    frames[f] is where the successors of frame f start, go on and end in the pool; where the start is behind the end,
    the frame is not expanded yet.
    """
    words = int(words_in(width))
    stored = array_at(address_of(vectors, 0), vectors.size * WORD_BYTES, colours)
    while steps > 0 and control[_DEPTH] > 0:
        steps -= 1
        frame = control[_DEPTH] - 1
        state = stack[frame]
        if frames[frame, 0] > frames[frame, 2]:
            if count + most > room or control[_POOL] + most > pool.size or frame + 2 > stack.size:
                return _FULL, count
            start = np.int64(state) * words
            one = stack[frame : frame + 1]
            counted = notes[TRANSITIONS], notes[DEADLOCKS], notes[FAILURES], notes[OVERFLOWS]
            expanded, found = _expand_product(
                successors, valuation, most, extends, vectors[start : start + words], one, out, sources, labels, sites,
                endless, passage_frames, passed, most_steps, notes, word, shift, mask, first_edges, edges, width,
            )  # fmt: skip
            if expanded == 0:
                control[_RESULT] = found
                return _CROWDED, count
            if control[_ROOT]:
                # The blue search was here before, and has counted it all.
                notes[TRANSITIONS], notes[DEADLOCKS], notes[FAILURES], notes[OVERFLOWS] = counted
            before = count
            _, count = _intern_keys(
                out, 0, found, stored, WORD_BYTES, 4 * WORD_BYTES, _ALL_BITS, words * WORD_BYTES, count,
                index, room, tag_mask, hashes, slots, ids, width,
            )  # fmt: skip
            for new in range(before, count):
                if accepting[(vectors[new * words + word] >> shift) & mask]:
                    colours[new] = _ACCEPTING
            first = control[_POOL]
            for k in range(found):
                pool[first + k] = ids[k]
            control[_POOL] += found
            frames[frame, 0] = first
            frames[frame, 1] = first
            frames[frame, 2] = first + found
        elif frames[frame, 1] < frames[frame, 2]:
            target = pool[frames[frame, 1]]
            frames[frame, 1] += 1
            colour = colours[target]
            enter = False
            if control[_ROOT]:
                if colour & _CYAN:
                    control[_RESULT] = stack[control[_ROOT]]
                    control[_CLOSING] = target
                    return _FOUND, count
                if colour & _RED == 0:
                    colours[target] |= _RED
                    enter = True
            else:
                if colour & _CYAN and (colours[state] | colour) & _ACCEPTING:
                    control[_RESULT] = state if colours[state] & _ACCEPTING else target
                    control[_CLOSING] = target
                    return _FOUND, count
                if colour & (_CYAN | _BLUE) == 0:
                    colours[target] |= _CYAN
                    enter = True
            if enter:
                _push(stack, frames, control, target)
        else:
            control[_POOL] = frames[frame, 0]
            if control[_ROOT] == 0 and colours[state] & _ACCEPTING and colours[state] & _RED == 0:
                # The root stays on the stack twice: below as the cyan state that the red search may close on.
                colours[state] |= _RED
                control[_ROOT] = control[_DEPTH]
                _push(stack, frames, control, state)
                continue
            control[_DEPTH] -= 1
            if control[_ROOT] == 0:
                colours[state] = (colours[state] & ~_CYAN) | _BLUE
            elif control[_ROOT] == frame:
                # The red search is over; the blue frame below it has no successors left and goes next.
                control[_ROOT] = 0
    return (_PAUSE if control[_DEPTH] > 0 else _DONE), count


@dataclass(frozen=True)
class NestedResult:
    statistics: Statistics
    accepting: Vector | None = None
    """An accepting state that lies on a cycle."""
    lasso: Finding | None = None
    """The cycle as the stack has it, which may be long."""
    limit: LimitName | None = None
    forecasts: tuple[Forecast, ...] = ()
    violated: bool = False
    """An action failed, or an atom could not be evaluated, or there was no room for what a step creates."""


def nested_search(
    expansion: ProductExpansion,
    initial: tuple[Vector, ...],
    budget: Budget,
    limits: Limits,
    observer: Observer | None,
    choice: StoreChoice = FULL,
    keeper: Keeper | None = None,
) -> NestedResult:
    """Search from every initial state, one after the other; with a `keeper`, go on from where it remembers this."""
    return _NestedSearch(expansion, budget, limits, observer, choice, keeper).run(initial)


class _NestedSearch:
    def __init__(
        self,
        expansion: ProductExpansion,
        budget: Budget,
        limits: Limits,
        observer: Observer | None,
        choice: StoreChoice,
        keeper: Keeper | None,
    ) -> None:
        words = expansion.words
        most_states = min(MOST_STATES, budget.limit // (words * 8)) + 1
        self.expansion = expansion
        self.budget = budget
        self.limits = limits
        self.observer = observer
        self.choice = choice
        self.keeper = keeper
        self.exchange = SoloExchange()
        self.store = FullStore(words, budget)
        self.notes = new_notes()
        self.colours = reserve(most_states, np.uint8)
        self.stack = reserve(2 * most_states, np.uint32)
        self.frames = reserve(6 * most_states, np.int64).reshape(-1, 3)
        self.pool = reserve(budget.limit // 4, np.uint32)
        self.control = np.zeros(6, np.int64)
        self._use_buffers()
        self.largest_pool = 0
        self.at = 0
        """The number of the initial state that the search is from."""
        self.started = time.monotonic()
        self.cpu_started = time.thread_time()

    def _use_buffers(self) -> None:
        """Have room for the successors of one state."""
        most, words = self.expansion.most_successors, self.expansion.words
        self._buffers: tuple[Any, ...] = (
            np.zeros(IN_FLIGHT, np.uint64),
            np.zeros(IN_FLIGHT, np.uint32),
            np.zeros(most, np.uint32),
            np.zeros(most * words, np.uint64),
            np.zeros(most, np.uint32),
        )

    def run(self, initial: tuple[Vector, ...]) -> NestedResult:
        try:
            begun = self._restore()
            while self.at < len(initial):
                result = self._go_on() if begun or self._start(initial[self.at]) else None
                if result:
                    return result
                begun = False
                self.at += 1
        except OutOfMemory:
            return NestedResult(self._statistics(), limit="memory", forecasts=self._forecasts())
        return NestedResult(self._statistics())

    def _start(self, vector: Vector) -> bool:
        """Put an initial state on the stack, unless it has been visited."""
        identifier = np.zeros(1, np.uint32)
        known = self.store.count
        self.store.insert(np.array(vector, np.uint64), 1, identifier)
        if self.store.count > known:
            self.expansion.mark_accepting(self.store.vectors(known, known + 1), self.colours[known : known + 1])
            self.colours[known] *= _ACCEPTING
        if self.colours[identifier[0]] & _BLUE:
            return False
        self.colours[identifier[0]] |= _CYAN
        self.stack[0] = identifier[0]
        self.frames[0] = _NOT_EXPANDED
        self.control[_DEPTH] = 1
        return True

    def _go_on(self) -> NestedResult | None:
        """Search until the stack is empty."""
        while True:
            ending = self._some_steps()
            self._claim()
            if any(self.notes[note] != NOTHING for note in (FAILURE_AT, INVALID_AT, ROOM_SITE)):
                return NestedResult(self._statistics(), violated=True)
            if ending == _FOUND:
                accepting = self.store.vector(int(self.control[_RESULT]))
                return NestedResult(self._statistics(), accepting, self._lasso())
            if ending == _DONE:
                return None
            limit = self._limit()
            if self.keeper and (limit or self.keeper.due(self.exchange)):
                self._save(self.keeper)
            if limit:
                return NestedResult(self._statistics(), limit=limit)
            if ending == _FULL:
                self.store.table.grow()
            if ending == _CROWDED:
                self.expansion.grow(int(self.control[_RESULT]), self.expansion.most_successors)
                self._use_buffers()
            if self.observer:
                depth, transitions = int(self.control[_DEPTH]), int(self.notes[TRANSITIONS])
                self.observer(Progress("nested DFS", self.store.count, transitions, depth, depth, self.budget.used))

    def _save(self, keeper: Keeper) -> None:
        count, depth = self.store.count, int(self.control[_DEPTH])
        progress = {"initial": self.at, "seconds": self._seconds, "cpu_seconds": self._cpu_seconds}
        sections = [
            section("vectors", self.store.vectors(0, count)),
            section("colours", self.colours[:count]),
            section("stack", self.stack[:depth]),
            section("frames", self.frames[:depth].reshape(-1)),
            section("pool", self.pool[: int(self.control[_POOL])]),
            section("control", self.control),
            section("notes", self.notes),
        ]
        keeper.save(self.exchange, progress, {}, sections)

    def _restore(self) -> bool:
        """Whether there is a checkpoint to go on from: all is as it was then."""
        saved = self.keeper.saved() if self.keeper else None
        if saved is None:
            return False
        share = saved.shares(self.exchange)[0]
        words = self.expansion.words
        states = share.count("vectors") // words
        for start in range(0, states, _AT_ONCE):
            stop = min(start + _AT_ONCE, states)
            identifiers = np.zeros(stop - start, np.uint32)
            # In the order of their ids, so that each gets its own again.
            self.store.insert(share.read("vectors", start * words, stop * words), stop - start, identifiers)
        for name, array in (("colours", self.colours), ("stack", self.stack), ("pool", self.pool)):
            array[: share.count(name)] = share.read(name)
        depth = share.count("stack")
        self.frames[:depth] = share.read("frames").reshape(-1, 3)
        self.control[:] = share.read("control")
        self.notes[:] = share.read("notes")
        self._claim()
        self.at = saved.progress["initial"]
        self.started -= saved.progress["seconds"]
        self.cpu_started -= saved.progress["cpu_seconds"]
        return True

    def _some_steps(self) -> int:
        table = self.store.table
        index, room, tag_mask = table.index
        if self.limits.states is not None:
            room = min(room, self.limits.states + self.expansion.most_successors)
        arguments: tuple[Any, ...] = (
            *self.expansion.program,
            table.range(0, table.most_keys),
            self.store.count,
            index,
            room,
            tag_mask,
            *self._buffers,
            *self.expansion.passage,
            self.notes,
            self.colours,
            self.expansion.accepting,
            self.stack,
            self.frames,
            self.pool,
            self.control,
            _STEPS,
            *self.expansion.tables,
        )
        ending, table.count = _search(*arguments)
        return ending

    def _lasso(self) -> Finding:
        """The states on the stack; the cycle goes on from the cyan state that closes it."""
        depth, root = int(self.control[_DEPTH]), int(self.control[_ROOT])
        # A red search has its root on the stack twice.
        states = [*self.stack[:root], *self.stack[root + 1 : depth]] if root else [*self.stack[:depth]]
        closing = int(self.control[_CLOSING])
        at = states.index(closing)
        vectors = [self.store.vector(int(state)) for state in (*states, closing)]
        return Finding("cycle", vectors[: at + 1], vectors[at + 1 :])

    def _forecasts(self) -> tuple[Forecast, ...]:
        from ouroboros.engine.forecast import forecasts

        return forecasts(self.store, self.budget, SoloExchange(), self.choice, _OTHERS, cycles=True)

    def _claim(self) -> None:
        self.largest_pool = max(self.largest_pool, int(self.control[_POOL]))
        self.budget.claim("states", self.store.bytes)
        self.budget.claim("marks", self.store.count)
        self.budget.claim("stack", int(self.control[_DEEPEST]) * 28 + self.largest_pool * 4)

    def _limit(self) -> LimitName | None:
        if self.limits.expired:
            return ending(self.limits.expired)
        if self.limits.states is not None and self.store.count > self.limits.states:
            return "states"
        return None

    def _statistics(self) -> Statistics:
        failures, overflows = int(self.notes[FAILURES]), int(self.notes[OVERFLOWS])
        error_state = int(failures + overflows > 0)
        return Statistics(
            states=self.store.count + error_state,
            transitions=int(self.notes[TRANSITIONS]),
            deadlocks=int(self.notes[DEADLOCKS]) + error_state,
            failures=failures,
            overflows=overflows,
            depth=int(self.control[_DEEPEST]),
            bytes=self.budget.used,
            seen_true=int(self.notes[SEEN_TRUE]),
            seen_false=int(self.notes[SEEN_FALSE]),
            seconds=self._seconds,
            cpu_seconds=self._cpu_seconds,
        )

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def _cpu_seconds(self) -> float:
        return time.thread_time() - self.cpu_started
