"""Reachability: every state, breadth first; the first one that violates what is asked ends the search.

Levels are synchronised over the workers, so that a path to a violation has as few steps as any.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.expansion import (
    DEADLOCK_AT,
    DEADLOCKS,
    FAILURE_AT,
    FAILURES,
    INVALID_AT,
    NOTHING,
    TRANSITIONS,
    SystemExpansion,
)
from ouroboros.engine.explorer import Explorer, Place
from ouroboros.engine.limits import LimitName, Limits, Observer, Progress
from ouroboros.engine.memory import Budget, OutOfMemory
from ouroboros.native import Program
from ouroboros.search.outcome import Finding, Outcome, Statistics
from ouroboros.system.layout import Vector
from ouroboros.system.model import System

_REPORT_EVERY = 0.25  # seconds


@dataclass(frozen=True)
class Question:
    """What must not be found. With nothing forbidden the search counts the whole state space."""

    required: int = 0
    """The bits of the valuation that every state must have."""
    deadlock: bool = False
    failure: bool = False


def reachability(
    system: System,
    program: Program,
    question: Question,
    limits: Limits,
    exchange: Exchange,
    budget: Budget,
    observer: Observer | None = None,
) -> Outcome:
    """One worker's part; every worker returns the same outcome."""
    try:
        explorer = Explorer(SystemExpansion(program, question.required), exchange, budget)
    except OutOfMemory:
        # Every worker has the same limit, so all are here.
        return Outcome(Statistics(), limit="memory")
    return _Reachability(explorer, system.initial, question, limits, observer).run()


class _Totals(NamedTuple):
    """Sums over all workers after a round."""

    states: int
    frontier: int
    remaining: int
    transitions: int
    deadlocks: int
    failures: int
    bad_states: int
    bad_actions: int
    out_of_memory: int
    out_of_time: int
    bytes: int
    cpu_microseconds: int


class _Reachability:
    def __init__(
        self,
        explorer: Explorer,
        initial: Sequence[Vector],
        question: Question,
        limits: Limits,
        observer: Observer | None,
    ) -> None:
        self.initial = initial
        self.question = question
        self.limits = limits
        self.exchange = explorer.exchange
        self.budget = explorer.budget
        self.observer = observer if explorer.exchange.rank == 0 else None
        self.explorer = explorer
        self.depth = 0
        self.out_of_memory = False
        self.started = time.monotonic()
        self.cpu_started = time.thread_time()
        self.reported = self.started

    def run(self) -> Outcome:
        self._attempt(lambda: self.explorer.start(self.initial))
        while True:
            totals = self._totals()
            level_done = totals.remaining == 0
            # A bad state of this level is as near as any. A failing action is one step farther than its state, so a
            # bad state later in the same level still comes before it.
            if totals.bad_states or (totals.bad_actions and level_done):
                return self._outcome(totals, finding=self._finding())
            limit = self._limit(totals)
            if limit:
                return self._outcome(totals, limit=limit)
            if level_done and totals.frontier == 0:
                return self._outcome(totals)
            if level_done:
                self.explorer.advance()
                self.depth += 1
            self._report(totals)
            self._attempt(self.explorer.round)

    def _attempt(self, step: Callable[[], object]) -> None:
        """A worker without memory still comes to the next meeting, and says so there."""
        try:
            step()
        except OutOfMemory:
            self.out_of_memory = True

    def _totals(self) -> _Totals:
        explorer, notes, question = self.explorer, self.explorer.generation.notes, self.question
        bad_state = (question.deadlock and notes[DEADLOCK_AT] != NOTHING) or notes[INVALID_AT] != NOTHING
        bad_action = question.failure and notes[FAILURE_AT] != NOTHING
        own = _Totals(
            states=explorer.store.count,
            frontier=explorer.frontier,
            remaining=explorer.remaining,
            transitions=int(notes[TRANSITIONS]),
            deadlocks=int(notes[DEADLOCKS]),
            failures=int(notes[FAILURES]),
            bad_states=int(bad_state),
            bad_actions=int(bad_action),
            out_of_memory=int(self.out_of_memory),
            out_of_time=int(self.limits.out_of_time),
            bytes=self.budget.used,
            cpu_microseconds=int((time.thread_time() - self.cpu_started) * 1e6),
        )
        return _Totals(*(int(value) for value in self.exchange.total(np.array(own, np.int64))))

    def _limit(self, totals: _Totals) -> LimitName | None:
        if totals.out_of_memory:
            return "memory"
        if totals.out_of_time:
            return "time"
        if self.limits.states is not None and totals.states > self.limits.states:
            return "states"
        return None

    def _finding(self) -> Finding:
        """Agree on one violation, the nearest kind first, and rebuild the path to it."""
        kinds: list[tuple[Literal["proposition", "deadlock", "failure"], int, bool]] = [
            ("proposition", INVALID_AT, True),
            ("deadlock", DEADLOCK_AT, self.question.deadlock),
            ("failure", FAILURE_AT, self.question.failure),
        ]
        for kind, note, asked in kinds:
            places = np.zeros(self.exchange.size, np.int64)
            places[self.exchange.rank] = self.explorer.generation.notes[note] + 1  # zero: nothing here
            places = self.exchange.total(places)
            owners = np.flatnonzero(places)
            if asked and owners.size:
                owner = int(owners[0])
                return Finding(kind, self.explorer.path_to(Place(owner, int(places[owner]) - 1)))
        raise AssertionError("a violation was announced by no worker")

    def _report(self, totals: _Totals) -> None:
        now = time.monotonic()
        if self.observer and now - self.reported >= _REPORT_EVERY:
            self.reported = now
            self.observer(
                Progress("reachability", totals.states, totals.transitions, totals.frontier, self.depth, totals.bytes)
            )

    def _outcome(self, totals: _Totals, finding: Finding | None = None, limit: LimitName | None = None) -> Outcome:
        statistics = Statistics(
            states=totals.states,
            transitions=totals.transitions,
            deadlocks=totals.deadlocks,
            failures=totals.failures,
            depth=self.depth,
            bytes=totals.bytes,
            seconds=time.monotonic() - self.started,
            cpu_seconds=totals.cpu_microseconds / 1e6,
        )
        return Outcome(statistics, finding, limit)
