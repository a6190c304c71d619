"""Breadth-first exploration of a graph by all workers, within limits, until it is complete or someone raises an alarm.

Levels are synchronised over the workers, so that the path to any state has as few steps as any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.checkpoint.directory import Json
from ouroboros.checkpoint.graph import NOTHING_BESIDE, Beside, restore_graph, save_graph
from ouroboros.checkpoint.keeper import Keeper, Saved
from ouroboros.engine.balance import NO_PLAN, Gain, Plan, are_even, plan
from ouroboros.engine.explorer import Explorer
from ouroboros.engine.generation import Arrival
from ouroboros.engine.limits import Limits, Observer, Progress, ending
from ouroboros.errors import SelfCheckError
from ouroboros.graph.notes import DEADLOCKS, FAILURES, OVERFLOWS, TRANSITIONS, Notes
from ouroboros.jit.clock import cpu_now, now
from ouroboros.memory import OutOfMemory, Words, lacking
from ouroboros.system.layout import Vector
from ouroboros.verdict.outcome import LimitName, Statistics

_REPORT_EVERY = 0.25  # seconds
_LARGE = 1 << 14  # states of each worker


class Alarm(NamedTuple):
    """What makes one worker want to stop."""

    now: bool = False
    """Something as near to the initial states as anything in this level can be."""
    after_level: bool = False
    """Something that is one step farther than what the rest of this level may still bring."""


class Totals(NamedTuple):
    """Sums over all workers after a round."""

    states: int
    frontier: int
    remaining: int
    transitions: int
    deadlocks: int
    failures: int
    overflows: int
    alarms_now: int
    alarms_after_level: int
    out_of_memory: int
    expired: int
    checkpoint_due: int
    bytes: int
    buffers: int
    cpu_microseconds: int
    moved: int
    pending: int


class Queues(NamedTuple):
    """Of each worker after a round."""

    remaining: list[int]
    borrowed: list[int]
    frontier: list[int]
    expanded: list[int]


class Spent(NamedTuple):
    seconds: float
    cpu_seconds: float


class Exploration:
    """`visit` is called with the number of edges sent and the edges that arrived, after every round."""

    def __init__(
        self,
        explorer: Explorer,
        initial: Sequence[Vector],
        limits: Limits,
        observer: Observer | None,
        alarm: Callable[[], Alarm] = Alarm,
        visit: Callable[[int, list[Arrival]], None] | None = None,
        payloads: tuple[Words, ...] = (),
        keeper: Keeper | None = None,
    ) -> None:
        """With a `keeper`, go on from where it remembers this search, and save it now and then."""
        self.explorer = explorer
        self.limits = limits
        self.limit: LimitName | None = None
        """The limit that ended the exploration, if one did."""
        self.depth = 0
        self._initial = initial
        self._observer = observer if explorer.exchange.rank == 0 else None
        self._alarm = alarm
        self._visit = visit
        self._payloads = payloads
        self._keeper = keeper
        self._out_of_memory = 0
        self.progress: Json = {}
        """Of the checkpoint that it goes on from, if there is one."""
        self._final_notes: Notes | None = None
        self.beside = NOTHING_BESIDE
        """What that checkpoint knows besides the graph."""
        self._plan = NO_PLAN
        self._gain = Gain()
        self._is_even = False
        """Whether all workers had about as much to do when this level began."""
        self._is_large = False
        """Whether they all had so much that it is worth a meeting more not to wait for each other."""
        self._started = now()
        self._cpu_started = cpu_now()
        self._reported = self._started

    def run(self) -> bool:
        """Explore; True if an alarm ended it."""
        try:
            alarmed = self._run()
            self._final_notes = self.explorer.generation.notes.copy()
            return alarmed
        finally:
            # Who explores may hold on to this: no circle of references may keep gigabytes alive until it is noticed.
            self._alarm, self._visit, self._payloads = Alarm, None, ()

    def _run(self) -> bool:
        explorer = self.explorer
        saved = self._keeper.saved() if self._keeper else None
        self._attempt(lambda: self._restore(saved) if saved else explorer.start(self._initial))
        if saved and self._visit and not self._out_of_memory and not self._expand_again():
            return False
        self._sum()
        while True:
            totals, queues = self._totals, self._queues
            level_done = totals.remaining == 0
            # Of the last round a worker without memory knows only a part: nobody may draw conclusions from it.
            if not totals.out_of_memory and (totals.alarms_now or (totals.alarms_after_level and level_done)):
                self.limit = None
                return True
            self.limit = self._limit_met()
            saving = self._keeper and (totals.checkpoint_due or self.limit) and not totals.out_of_memory
            # What was handed over is not expanded by its owner, and what is to be expanded once more is not saved: that
            # must be done before.
            moving = saving and (any(queues.borrowed) or totals.pending)
            if self._keeper and saving and not moving:
                self.save(self._keeper)
            if (self.limit and not moving) or (level_done and totals.frontier == 0):
                return False
            if level_done:
                explorer.advance()
                self.depth += 1
                queues = queues._replace(remaining=queues.frontier)
            if level_done or not self._gain.unbalanced:
                self._begin_level(queues.remaining)
            self._plan = NO_PLAN if moving else self._balance(queues)
            self._report()
            self._round()
            self._run_on()
            if self._totals.remaining == 0 or self._is_urgent():
                # Now that all of the round is stored.
                self._sum()

    def _begin_level(self, queues: list[int]) -> None:
        self._gain.begin_level(queues)
        self._is_even = are_even(queues)
        self._is_large = min(queues) >= _LARGE

    def _run_on(self) -> None:
        """Begin levels without a meeting before, so that who is late for one can make up for it in the next.

        How many states a level has is known only after its first round then, so it cannot be balanced before; but it is
        most likely as even as the one before it. In large levels states are expanded ahead of each meeting, as if it
        would show that nothing is left to do in the level, or nothing but that; if not, this is taken back.
        """
        unasked = self.explorer.exchange.size > 1 and not self._every_edge and self.limits.states is None
        ahead = False
        while unasked and self._is_even and (self._totals.remaining == 0 or ahead) and not self._is_urgent():
            begins = self._totals.remaining == 0
            if begins:
                self.explorer.advance()
            else:
                self.explorer.stay()
            ahead = self._is_large
            self._plan = NO_PLAN
            self._report()
            self._round(ahead)
            if begins:
                begun = [now + later for now, later in zip(self._queues.expanded, self._queues.remaining, strict=True)]
                if not any(begun):
                    self.explorer.retreat()
                    break
                self.depth += 1
                self._begin_level(begun)
        self.explorer.take_back()

    def _is_urgent(self) -> bool:
        """Whether the sums that came with the last round's messages tell of anything but states to expand."""
        totals = self._totals
        return bool(totals.alarms_now or totals.alarms_after_level or totals.checkpoint_due or self._limit_met())

    @property
    def _notes(self) -> Notes:
        """What was met while exploring; who generates edges again later meets all of it once more."""
        return self.explorer.generation.notes if self._final_notes is None else self._final_notes

    def _restore(self, saved: Saved) -> None:
        self.progress = saved.progress
        self.beside = restore_graph(saved, self.explorer)
        self.depth = len(self.explorer.level_ends) - 1

    def _expand_again(self) -> bool:
        """Who visits edges needs them all, and they are not saved; False if a limit ended it. Collective."""
        states = self.explorer.store.count
        unwind = self.explorer.rewind()
        while True:
            self._sum()
            self.limit = self._limit_met()
            if self.limit or self._totals.remaining == 0:
                break
            self._report()
            self._round()
        unwind()
        self._gain = Gain()
        if self.limit:
            # Not what was counted twice.
            self._sum()
            return False
        new = np.array([self.explorer.store.count - states], np.int64)
        if int(self.explorer.exchange.total(new)[0]):
            raise SelfCheckError("a saved state has other successors than when it was saved")
        return True

    def save(self, keeper: Keeper, progress: Json | None = None, beside: Beside = NOTHING_BESIDE) -> None:
        """Write a checkpoint, with what an algorithm knows of its progress beside the graph. Collective."""
        spent = {
            "seconds": self.earlier.seconds + now() - self._started,
            "cpu_seconds": self.earlier.cpu_seconds + self._totals.cpu_microseconds / 1e6,
        }
        save_graph(keeper, self.explorer, self._notes, {**spent, **(progress or {})}, beside)

    @property
    def earlier(self) -> Spent:
        """Before the checkpoint that this goes on from."""
        return Spent(self.progress.get("seconds", 0.0), self.progress.get("cpu_seconds", 0.0))

    def _balance(self, queues: Queues) -> Plan:
        """Who visits edges must have them at the owner of their source; else anybody may expand any state."""
        if self._every_edge or self.explorer.exchange.size == 1:
            return NO_PLAN
        return plan(queues.remaining, queues.borrowed, self.explorer.most_given)

    @property
    def _every_edge(self) -> bool:
        return self._visit is not None or self.explorer.reviews

    def _round(self, ahead: bool = False) -> None:
        """The sums that come with the messages do not know what these bring, and are of before that."""
        explorer = self.explorer
        sent = 0
        try:
            arrivals = explorer.round(self._payloads, self._every_edge, self._plan, self._numbers, ahead)
            sent = explorer.sent
        except OutOfMemory as lack:
            # The others may have more to exchange in this round.
            self._out_of_memory = lack.weight
            arrivals = [Arrival.nothing(sender, len(self._payloads)) for sender in range(explorer.exchange.size)]
        self._learn(explorer.sums)
        self._gain.end_round(self._queues.expanded)
        if self._visit:
            visit = self._visit
            self._attempt(lambda: visit(sent, arrivals))

    def _attempt(self, step: Callable[[], None]) -> None:
        """A worker without memory still comes to the next meeting, and says so there."""
        try:
            step()
        except OutOfMemory as lack:
            self._out_of_memory = lack.weight

    def _ask(self) -> Alarm:
        try:
            return self._alarm()
        except OutOfMemory as lack:
            self._out_of_memory = lack.weight
            return Alarm()

    def _sum(self) -> None:
        """Have the totals as they are now. Collective."""
        self._learn(self.explorer.exchange.total(self._numbers()))

    def _numbers(self) -> npt.NDArray[np.int64]:
        """Of this worker: what the totals are made of, and its own queues among those of the others."""
        explorer, notes = self.explorer, self.explorer.generation.notes
        alarm = self._ask()
        own = Totals(
            states=explorer.store.count - explorer.superseded,
            frontier=explorer.frontier,
            remaining=explorer.remaining + explorer.borrowed,
            transitions=int(notes[TRANSITIONS]),
            deadlocks=int(notes[DEADLOCKS]),
            failures=int(notes[FAILURES]),
            overflows=int(notes[OVERFLOWS]),
            alarms_now=int(alarm.now),
            alarms_after_level=int(alarm.after_level),
            out_of_memory=self._out_of_memory,
            expired=self.limits.expired,
            checkpoint_due=int(self._keeper is not None and self._keeper.due(explorer.exchange)),
            bytes=explorer.budget.used,
            buffers=explorer.budget.buffers,
            cpu_microseconds=int((cpu_now() - self._cpu_started) * 1e6),
            moved=explorer.moved,
            pending=explorer.pending,
        )
        queues = [0] * (len(Queues._fields) * explorer.exchange.size)
        queues[explorer.exchange.rank :: explorer.exchange.size] = (
            explorer.remaining, explorer.borrowed, explorer.frontier, explorer.expanded
        )  # fmt: skip
        return np.array([*own, *queues], np.int64)

    def _learn(self, sums: npt.NDArray[np.int64]) -> None:
        totals = len(Totals._fields)
        self._totals = Totals(*sums[:totals].tolist())
        self._queues = Queues(*sums[totals:].reshape(len(Queues._fields), -1).tolist())

    def _limit_met(self) -> LimitName | None:
        totals = self._totals
        if totals.out_of_memory:
            return lacking(totals.out_of_memory)
        if totals.expired:
            return ending(totals.expired)
        if self.limits.states is not None and totals.states > self.limits.states:
            return "states"
        return None

    def _report(self) -> None:
        moment = now()
        if self._observer and moment - self._reported >= _REPORT_EVERY:
            self._reported = moment
            totals = self._totals
            self._observer(
                Progress("exploration", totals.states, totals.transitions, totals.frontier, self.depth, totals.bytes)
            )

    def statistics(self) -> Statistics:
        """The numbers at the end of `run`."""
        totals = self._totals
        error_state = int(totals.failures + totals.overflows > 0)
        return Statistics(
            states=totals.states + error_state,
            transitions=totals.transitions,
            deadlocks=totals.deadlocks + error_state,
            failures=totals.failures,
            overflows=totals.overflows,
            depth=self.depth,
            bytes=totals.bytes,
            buffers=totals.buffers,
            seconds=self.earlier.seconds + now() - self._started,
            cpu_seconds=self.earlier.cpu_seconds + totals.cpu_microseconds / 1e6,
            identity_bits=self.explorer.identity_bits,
            coverage=self.explorer.coverage,
            moved=totals.moved,
            balance_gain=self._gain.factor,
        )
