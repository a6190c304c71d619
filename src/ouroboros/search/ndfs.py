"""Nested depth-first search, on the fly, with early detection of cycles on the stack (Schwoon and Esparza, 2005).

The blue search visits states in depth-first order; a state is cyan while it is on the blue stack. When the blue search
leaves an accepting state, a red search from it looks for a way back to a cyan state. An edge to a cyan state closes a
cycle at once if one of its ends is accepting. The recursion is a stack in arrays, so depth is limited by memory alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ouroboros.checkpoint.keeper import Keeper
from ouroboros.checkpoint.shares import section
from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.engine.limits import Progress, ending
from ouroboros.engine.stores.base import MOST_STATES
from ouroboros.engine.stores.full import FullStore
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
    new_notes,
)
from ouroboros.graph.product import ProductGraph
from ouroboros.jit.clock import cpu_now, now
from ouroboros.memory import OutOfMemory, reserve
from ouroboros.search.ndfs_steps import (
    ACCEPTING,
    BLUE,
    CLOSING,
    CROWDED,
    CYAN,
    DEEPEST,
    DEPTH,
    DONE,
    FOUND,
    NO_ROOM,
    NOT_EXPANDED,
    POOL,
    RESULT,
    ROOT,
    Found,
    Nest,
    make_steps,
)
from ouroboros.search.worker import Worker
from ouroboros.system.layout import Vector
from ouroboros.verdict.outcome import Finding, Forecast, LimitName, Statistics

_STEPS = 1 << 18

_AT_ONCE = 1 << 10
"""States of a checkpoint that are stored together."""

_OTHERS = 2 + 9
"""With another store, OWCTY would be the algorithm: the bytes of a parent, and of what it knows of a state."""


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


def nested_search(graph: ProductGraph, worker: Worker) -> NestedResult:
    """Search from every initial state, one after the other; with a keeper, go on from where it remembers this."""
    return _NestedSearch(graph, worker).run()


class _NestedSearch:
    def __init__(self, graph: ProductGraph, worker: Worker) -> None:
        words = graph.words
        self.graph = graph
        self.budget = budget = worker.budget
        self.limits = worker.limits
        self.observer = worker.observer
        self.choice = worker.store.fitted(graph.layout, cycles=True)
        self.keeper = worker.keeper
        most_states = min(MOST_STATES, budget.limit // (words * 8)) + 1
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
        self.started = now()
        self.cpu_started = cpu_now()

    def _use_buffers(self) -> None:
        """Have room for the successors of one state."""
        most, words = self.graph.most_successors, self.graph.words
        self._found = Found(
            np.zeros(most * words, np.uint64), np.zeros(most, np.uint32), np.zeros(most, np.uint32), self.notes
        )

    def run(self) -> NestedResult:
        initial = self.graph.initial
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
            self.graph.mark_accepting(self.store.vectors(known, known + 1), self.colours[known : known + 1])
            self.colours[known] *= ACCEPTING
        if self.colours[identifier[0]] & BLUE:
            return False
        self.colours[identifier[0]] |= CYAN
        self.stack[0] = identifier[0]
        self.frames[0] = NOT_EXPANDED
        self.control[DEPTH] = 1
        return True

    def _go_on(self) -> NestedResult | None:
        """Search until the stack is empty."""
        while True:
            ending = self._some_steps()
            self._claim()
            if any(self.notes[note] != NOTHING for note in (FAILURE_AT, INVALID_AT, ROOM_SITE)):
                return NestedResult(self._statistics(), violated=True)
            if ending == FOUND:
                accepting = self.store.vector(int(self.control[RESULT]))
                return NestedResult(self._statistics(), accepting, self._lasso())
            if ending == DONE:
                return None
            limit = self._limit()
            if self.keeper and (limit or self.keeper.due(self.exchange)):
                self._save(self.keeper)
            if limit:
                return NestedResult(self._statistics(), limit=limit)
            if ending == NO_ROOM:
                self.store.table.grow()
            if ending == CROWDED:
                self.graph.grow(int(self.control[RESULT]), self.graph.most_successors)
                self._use_buffers()
            if self.observer:
                depth, transitions = int(self.control[DEPTH]), int(self.notes[TRANSITIONS])
                self.observer(Progress("nested DFS", self.store.count, transitions, depth, depth, self.budget.used))

    def _save(self, keeper: Keeper) -> None:
        count, depth = self.store.count, int(self.control[DEPTH])
        progress = {"initial": self.at, "seconds": self._seconds, "cpu_seconds": self._cpu_seconds}
        sections = [
            section("vectors", self.store.vectors(0, count)),
            section("colours", self.colours[:count]),
            section("stack", self.stack[:depth]),
            section("frames", self.frames[:depth].reshape(-1)),
            section("pool", self.pool[: int(self.control[POOL])]),
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
        words = self.graph.words
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
        table, room = self.store.table, self.store.table.room
        if self.limits.states is not None:
            room = min(room, self.limits.states + self.graph.most_successors)
        nest = Nest(self.colours, self.stack, self.frames, self.pool, self.control)
        ending, table.count = make_steps(
            self.graph.product, table.table, self._found, nest, self.store.count, room, _STEPS, self.graph.width
        )
        return ending

    def _lasso(self) -> Finding:
        """The states on the stack; the cycle goes on from the cyan state that closes it."""
        depth, root = int(self.control[DEPTH]), int(self.control[ROOT])
        # A red search has its root on the stack twice.
        states = [*self.stack[:root], *self.stack[root + 1 : depth]] if root else [*self.stack[:depth]]
        closing = int(self.control[CLOSING])
        at = states.index(closing)
        vectors = [self.store.vector(int(state)) for state in (*states, closing)]
        return Finding("cycle", vectors[: at + 1], vectors[at + 1 :])

    def _forecasts(self) -> tuple[Forecast, ...]:
        from ouroboros.engine.forecast import forecasts

        return forecasts(self.store, self.budget, SoloExchange(), self.choice, _OTHERS, cycles=True)

    def _claim(self) -> None:
        self.largest_pool = max(self.largest_pool, int(self.control[POOL]))
        self.budget.claim("states", self.store.bytes)
        self.budget.claim("marks", self.store.count)
        self.budget.claim("stack", int(self.control[DEEPEST]) * 28 + self.largest_pool * 4)

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
            depth=int(self.control[DEEPEST]),
            bytes=self.budget.used,
            seen_true=int(self.notes[SEEN_TRUE]),
            seen_false=int(self.notes[SEEN_FALSE]),
            seconds=self._seconds,
            cpu_seconds=self._cpu_seconds,
        )

    @property
    def _seconds(self) -> float:
        return now() - self.started

    @property
    def _cpu_seconds(self) -> float:
        return cpu_now() - self.cpu_started
