"""What searches in an explored graph share: exploring it within limits, its edges, phases, meetings, statistics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from typing import Literal

import numpy as np

from ouroboros.checkpoint.graph import NOTHING_BESIDE, Beside
from ouroboros.engine.edges import Edges, KeptEdges, RegeneratedEdges
from ouroboros.engine.exchange.base import Totals
from ouroboros.engine.explorer import Explorer
from ouroboros.engine.generation import Arrival
from ouroboros.engine.limits import Progress, ending
from ouroboros.graph.notes import SEEN_FALSE, SEEN_TRUE
from ouroboros.graph.protocol import Graph
from ouroboros.jit.clock import cpu_now, now
from ouroboros.memory import OutOfMemory, Words, lacking
from ouroboros.search.exploration import Alarm, Exploration
from ouroboros.search.matters import Question
from ouroboros.search.reachability import violation_alarm
from ouroboros.search.worker import Worker
from ouroboros.verdict.outcome import LimitName, Phase, Statistics

EdgePolicy = Literal["auto", "keep", "regenerate"]

QUESTION = Question(failure=True)
"""A run in which an action fails, or an atom cannot be evaluated, is a violation of any formula."""


@dataclass(frozen=True)
class Stopped(Exception):
    """A limit was met in a later phase."""

    limit: LimitName


@dataclass(frozen=True)
class Boundary:
    """Where an algorithm stands between two iterations."""

    phase: str
    iterations: int = 0
    numbers: dict[str, int] = field(default_factory=dict)
    """What all workers know."""
    beside: Beside = NOTHING_BESIDE


class GraphSearch:
    """One worker's share of a graph."""

    def __init__(
        self,
        graph: Graph,
        worker: Worker,
        edges: EdgePolicy,
    ) -> None:
        self.graph = graph
        self.exchange = exchange = worker.exchange
        self.budget = budget = worker.budget
        self.limits = worker.limits
        self.observer = worker.observer if exchange.rank == 0 else None
        self.explorer = Explorer(graph, exchange, budget, worker.store.fitted(graph.layout, cycles=True))
        self.out_of_memory = 0
        """The weight of what this worker lacked in a phase after the exploration."""
        self.iterations = 0
        self.phases: list[Phase] = []
        self._keeper = worker.keeper
        self._boundary = Boundary("")
        self._phases_before = 0
        self._whole = False
        """Whether the graph is explored: nothing has ended that early."""
        self._unsaved = False
        """Whether there is a boundary, or an explored graph, of which there is no checkpoint."""
        self._most_successors = graph.most_successors
        self._kept = None if edges == "regenerate" else KeptEdges(self.explorer, budget)
        if self._kept and edges == "auto":
            budget.spare(self._kept.drop)
        self._started = now()
        self._cpu_started = cpu_now()
        self._phase_started = self._started

    def explore(self, payloads: tuple[Words, ...] = ()) -> bool:
        """Explore the graph; True if a violation was found on the way."""
        self.exploration = Exploration(
            self.explorer,
            self.graph.initial,
            self.limits,
            self.observer,
            self._alarm,
            self._visit,
            payloads,
            self._keeper,
        )
        alarmed = self.exploration.run()
        progress = self.exploration.progress
        self.phases += [Phase(*phase) for phase in progress.get("phases", ())]
        self.iterations = progress.get("iterations", 0)
        self._whole = not alarmed
        self._unsaved = (alarmed or not self.phases) and not self.exploration.limit
        self.end_phase("restoration" if self.phases else "exploration", self.exploration.statistics().states)
        self._phases_before = len(self.phases)
        return alarmed

    def boundary(self, phase: str, bytes_for_state: int, beside: Callable[[], Beside], **numbers: int) -> None:
        """Between two iterations: what is needed to go on from here. Collective.

        A search that is stopped later, and cannot be saved as it is then, is saved as it is now: a copy is kept of what
        is `beside` the graph, if there is memory for it.
        """
        if not self._keeper:
            return
        kept = True
        try:
            self.budget.claim("checkpoint", self.explorer.store.count * bytes_for_state)
        except OutOfMemory:
            kept = False
        if self.total(not kept):
            self.budget.claim("checkpoint", 0)
            return
        self._boundary = Boundary(phase, self.iterations, numbers, beside())
        self._phases_before = len(self.phases)
        self._unsaved = True
        if self.total(self._keeper.due(self.exchange)):
            self.save_boundary()

    def save_boundary(self) -> None:
        """Save the last boundary, unless it is saved already. Collective."""
        if not self._keeper or not self._unsaved:
            return
        if self._whole:
            progress = {
                "phases": [astuple(phase) for phase in self.phases[: self._phases_before]],
                "iterations": self._boundary.iterations,
                "phase": self._boundary.phase,
                "numbers": self._boundary.numbers,
            }
            self.exploration.save(self._keeper, progress, self._boundary.beside)
        else:
            # The alarm is raised again when the exploration goes on.
            self.exploration.save(self._keeper)
        self._unsaved = False

    def restored(self, phase: str) -> Boundary | None:
        """The boundary that an algorithm goes on from, if there is one; it is told once."""
        progress = self.exploration.progress
        if progress.get("phase") != phase:
            return None
        beside, self.exploration.beside = self.exploration.beside, NOTHING_BESIDE
        return Boundary(phase, self.iterations, progress["numbers"], beside)

    def _alarm(self) -> Alarm:
        return violation_alarm(self.explorer, QUESTION)

    def _visit(self, sent: int, arrivals: list[Arrival]) -> None:
        if self._kept:
            self._kept.append(sent, arrivals)

    def edges(self, payloads: int = 0) -> Edges:
        """The edges of the explored graph, ready for sending so many payloads along. Collective."""
        if self._kept:
            self._secure(partial(self._kept.prepare, payloads))
            dropped = self.total(self._kept.dropped)
            self.budget.spare_nothing()
            if not dropped:
                return self._kept
            self._kept.drop()
        regenerated = RegeneratedEdges(self.explorer, self._most_successors)
        self._secure(partial(regenerated.prepare, payloads))
        return regenerated

    def claim(self, purpose: str, bytes_for_state: int) -> None:
        """Claim memory for every stored state. Collective: if one worker has not got it, all stop."""
        self._secure(partial(self.budget.claim, purpose, self.explorer.store.count * bytes_for_state))

    def _secure(self, claim: Callable[[], None]) -> None:
        try:
            claim()
        except OutOfMemory as lack:
            self.out_of_memory = lack.weight
        missing = self.total(self.out_of_memory)
        if missing:
            raise Stopped(lacking(missing))

    def total(self, value: int) -> int:
        return int(self.exchange.total(np.array([value], np.int64))[0])

    def end_phase(self, name: str, states: int) -> None:
        """Note a phase for the report; `states` over all workers. Collective."""
        moment = now()
        used = self.total(self.budget.used)
        self.phases.append(Phase(name, moment - self._phase_started, used, states))
        self._phase_started = moment

    def watch(self, phase: str, waiting: int) -> int:
        """Between two rounds of a later phase: report, and stop at a limit. Collective.

        Returns how many states wait for their turn, over all workers.
        """
        return self.heed(phase, self.exchange.total(self.numbers(waiting)))

    def numbers(self, waiting: int) -> Totals:
        """What the workers have to know of each other between two rounds."""
        return np.array([waiting, self.out_of_memory, self.limits.expired], np.int64)

    def heed(self, phase: str, sums: Totals) -> int:
        """The same as `watch`, with the numbers of a meeting that all were at already."""
        frontier, out_of_memory, expired = map(int, sums)
        if out_of_memory or expired:
            raise Stopped(lacking(out_of_memory) if out_of_memory else ending(expired))
        if self.observer:
            statistics = self.exploration.statistics()
            self.observer(
                Progress(phase, statistics.states, statistics.transitions, frontier, statistics.depth, statistics.bytes)
            )
        return frontier

    def statistics(self) -> Statistics:
        """Collective."""
        cpu = self.total(int((cpu_now() - self._cpu_started) * 1e6)) / 1e6
        return replace(
            self.exploration.statistics(),
            seconds=self.exploration.earlier.seconds + now() - self._started,
            cpu_seconds=self.exploration.earlier.cpu_seconds + cpu,
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
