"""What the searches for accepting cycles share: the explored product, its accepting states, and its edges.

Exploration looks for cycles on the fly, as in section 2.3 of the OWCTY_HC paper: an accepting state with an edge to
itself, and one pass of MAP without re-propagation, in which a state passes on the maximal accepting predecessor that
it knows of when it is expanded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from ouroboros.engine.edges import Edges, KeptEdges, RegeneratedEdges
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.expansion import SEEN_FALSE, SEEN_TRUE
from ouroboros.engine.explorer import Explorer, Place
from ouroboros.engine.generation import Arrival
from ouroboros.engine.jit import inlined, kernel
from ouroboros.engine.limits import LimitName, Limits, Observer, Progress
from ouroboros.engine.memory import Budget, Ids, OutOfMemory, Words, reserve
from ouroboros.engine.product import ProductExpansion
from ouroboros.engine.stores.choice import FULL, StoreChoice
from ouroboros.search.exploration import Alarm, Exploration
from ouroboros.search.outcome import Phase, Statistics
from ouroboros.search.reachability import Question, violation_alarm
from ouroboros.system.layout import Vector

Order = Literal["discovery", "reverse", "hash"]
EdgePolicy = Literal["auto", "keep", "regenerate"]

ORDERS: tuple[Order, ...] = ("discovery", "reverse", "hash")
_REVERSE, _HASH = np.int64(1), np.int64(2)
_TOP = np.uint64(1 << 62)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)

QUESTION = Question(failure=True)
"""A run in which an action fails, or an atom cannot be evaluated, is a violation of any formula."""


@inlined
def key_of(state: np.uint32, rank: int, size: int, order: int) -> np.uint64:
    """The place of a state in the total order that MAP needs; never zero, which stands for no predecessor."""
    number = np.uint64(state) * np.uint64(size) + np.uint64(rank) + np.uint64(1)
    if order == _REVERSE:
        return _TOP - number
    if order == _HASH:
        # Multiplying by an odd number and folding the upper half in are bijections: no two states share a key.
        number *= _ODD
        return number ^ (number >> _HALF)
    return number


@kernel("int64(uint32[::1], uint32[::1], uint64[::1], boolean, uint8[::1], uint64[::1], int64, int64, int64)")
def _pass_on(
    targets: Ids,
    sources: Ids,
    arrived: Words,
    own: bool,
    accepting: npt.NDArray[np.uint8],
    payload: Words,
    rank: int,
    size: int,
    order: int,
) -> int:
    """Raise the payload of each target to what arrived; returns a state on an accepting cycle, or -1."""
    found = -1
    for k in range(targets.size):
        target = targets[k]
        if accepting[target] and ((own and sources[k] == target) or arrived[k] == key_of(target, rank, size, order)):
            found = int(target)
        payload[target] = max(payload[target], arrived[k])
    return found


@kernel("void(uint8[::1], int64, int64, uint64[::1], int64, int64, int64)")
def _own_keys(
    accepting: npt.NDArray[np.uint8], first: int, last: int, payload: Words, rank: int, size: int, order: int
) -> None:
    """An accepting state passes on at least itself."""
    for state in range(first, last):
        payload[state] = key_of(np.uint32(state), rank, size, order) if accepting[state] else np.uint64(0)


@dataclass(frozen=True)
class Stopped(Exception):
    """A limit was met in a later phase."""

    limit: LimitName


class ProductSearch:
    """One worker's share of the product."""

    def __init__(
        self,
        expansion: ProductExpansion,
        exchange: Exchange,
        budget: Budget,
        limits: Limits,
        observer: Observer | None,
        order: Order,
        edges: EdgePolicy,
        any_accepting: bool = False,
        goal: Vector | None = None,
        store: StoreChoice = FULL,
    ) -> None:
        """Exploration ends at `any_accepting` state, where that is enough for a cycle, or at the `goal`."""
        self.expansion = expansion
        self.exchange = exchange
        self.budget = budget
        self.limits = limits
        self.observer = observer if exchange.rank == 0 else None
        self.order = ORDERS.index(order)
        self.explorer = Explorer(expansion, exchange, budget, store)
        self.accepting = reserve(self.explorer.most_states, np.uint8)
        self.suspect = -1
        """A state of this worker on an accepting cycle, if exploration met one."""
        self.out_of_memory = False
        """Whether this worker had too little for a phase after the exploration."""
        self.iterations = 0
        self.phases: list[Phase] = []
        self._payload = reserve(self.explorer.most_states, np.uint64)
        self.explorer.generation.prepare(payloads=1)
        self._kept = None if edges == "regenerate" else KeptEdges(self.explorer, budget)
        if self._kept and edges == "auto":
            budget.spare(self._kept.drop)
        self._any_accepting = any_accepting
        self._goal = goal
        self._marked = 0
        self._started = time.monotonic()
        self._cpu_started = time.thread_time()
        self._phase_started = self._started

    def explore(self, initial: tuple[Vector, ...]) -> bool:
        """Explore the product; True if a cycle or another violation was found on the way."""
        self.exploration = Exploration(
            self.explorer,
            initial,
            self.limits,
            self.observer,
            self._alarm,
            self._visit,
            (self._payload,),
        )
        alarmed = self.exploration.run()
        self.end_phase("exploration", self.exploration.statistics().states)
        # The payload was only for finding cycles early.
        self._payload = reserve(1, np.uint64)
        self.budget.claim("marks", self._marked)
        return alarmed

    def _alarm(self) -> Alarm:
        self._mark()
        alarm = violation_alarm(self.explorer, QUESTION)
        return Alarm(alarm.now or self.suspect >= 0, alarm.after_level)

    def _mark(self, arrivals: Sequence[Arrival] = ()) -> None:
        """Learn which of the new states are accepting: from where they arrived, so that no store has to find them."""
        count = self.explorer.store.count
        if count == self._marked:
            return
        self.budget.claim("marks", count * 9)
        known = self._marked
        for arrival in arrivals:
            if arrival.vectors is not None:
                known = self.expansion.mark_new(arrival.vectors, arrival.targets, known, self.accepting)
        self.expansion.mark_accepting(self.explorer.exact.vectors(known, count), self.accepting[known:count])
        marks = self.accepting[self._marked : count]
        rank, size = self.exchange.rank, self.exchange.size
        _own_keys(self.accepting, self._marked, count, self._payload, rank, size, self.order)
        if self._any_accepting and self.suspect < 0 and marks.any():
            self.suspect = self._marked + int(np.argmax(marks))
        if self._goal:
            found = self.explorer.exact.find(self._goal)
            self.suspect = -1 if found is None else found
        self._marked = count

    def _visit(self, sent: int, arrivals: list[Arrival]) -> None:
        if self._kept:
            self._kept.append(sent, arrivals)
        self._mark(arrivals)
        for arrival in arrivals:
            suspect = _pass_on(
                arrival.targets,
                arrival.sources,
                arrival.payloads[0],
                arrival.sender == self.exchange.rank,
                self.accepting,
                self._payload,
                self.exchange.rank,
                self.exchange.size,
                self.order,
            )
            self.suspect = max(self.suspect, suspect)

    def edges(self, payloads: int = 0) -> Edges:
        """The edges of the explored product, ready for sending so many payloads along. Collective."""
        if self._kept:
            self._secure(partial(self._kept.prepare, payloads))
            dropped = self.total(self._kept.dropped)
            self.budget.spare_nothing()
            if not dropped:
                return self._kept
            self._kept.drop()
        regenerated = RegeneratedEdges(self.explorer, self.expansion.most_successors)
        self._secure(partial(regenerated.prepare, payloads))
        return regenerated

    def suspect_place(self) -> Place | None:
        """The accepting state on a cycle that the workers agree on. Collective."""
        suspects = np.zeros(self.exchange.size, np.int64)
        suspects[self.exchange.rank] = self.suspect + 1
        suspects = self.exchange.total(suspects)
        owners = np.flatnonzero(suspects)
        return Place(int(owners[0]), int(suspects[owners[0]]) - 1) if owners.size else None

    def claim(self, purpose: str, bytes_for_state: int) -> None:
        """Claim memory for every stored state. Collective: if one worker has not got it, all stop."""
        self._secure(partial(self.budget.claim, purpose, self.explorer.store.count * bytes_for_state))

    def _secure(self, claim: Callable[[], None]) -> None:
        try:
            claim()
        except OutOfMemory:
            self.out_of_memory = True
        if self.total(self.out_of_memory):
            raise Stopped("memory")

    def total(self, value: int) -> int:
        return int(self.exchange.total(np.array([value], np.int64))[0])

    def end_phase(self, name: str, states: int) -> None:
        """Note a phase for the report; `states` over all workers. Collective."""
        now = time.monotonic()
        used = self.total(self.budget.used)
        self.phases.append(Phase(name, now - self._phase_started, used, states))
        self._phase_started = now

    def watch(self, phase: str, waiting: int) -> int:
        """Between two rounds of a later phase: report, and stop at a limit. Collective.

        Returns how many states wait for their turn, over all workers.
        """
        own = np.array([waiting, self.out_of_memory, self.limits.out_of_time], np.int64)
        frontier, out_of_memory, out_of_time = map(int, self.exchange.total(own))
        if out_of_memory or out_of_time:
            raise Stopped("memory" if out_of_memory else "time")
        if self.observer:
            statistics = self.exploration.statistics()
            self.observer(
                Progress(phase, statistics.states, statistics.transitions, frontier, statistics.depth, statistics.bytes)
            )
        return frontier

    def statistics(self) -> Statistics:
        """Collective."""
        cpu = self.total(int((time.thread_time() - self._cpu_started) * 1e6)) / 1e6
        return replace(
            self.exploration.statistics(),
            seconds=time.monotonic() - self._started,
            cpu_seconds=cpu,
            bytes=max(phase.bytes for phase in self.phases),
            iterations=self.iterations,
            phases=tuple(self.phases),
            seen_true=self._seen(SEEN_TRUE),
            seen_false=self._seen(SEEN_FALSE),
        )

    def _seen(self, note: int) -> int:
        """The union of a bit mask over all workers."""
        mask = int(self.explorer.generation.notes[note])
        bits = self.exchange.total(np.array([mask >> bit & 1 for bit in range(64)], np.int64))
        return sum(1 << bit for bit in range(64) if bits[bit])
