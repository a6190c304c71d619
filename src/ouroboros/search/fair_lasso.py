"""Counterexamples under fairness: a cycle on which every fair action has its due, and a stem through pending states.

What is alive after the last round is a set in which every first component, one that no other leads to, is fair. States
are tried as a place to begin, the oldest first. From there the walk goes on to the nearest step or state that some fair
action on the walk is still waiting for, as long as there is a way back. If it finds none, the component is not fair,
nor is it a first one: then all that can be reached from it is given up, and what is left has a first component still.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ouroboros.engine.parents import Place
from ouroboros.engine.queue import Ends, Queue, push
from ouroboros.errors import SelfCheckError
from ouroboros.graph.protocol import Labels
from ouroboros.graph.stepping import Marks
from ouroboros.jit import kernel, record
from ouroboros.memory import Ids, Words, reserve
from ouroboros.search.fair_lasso_hc import HashedLasso, Visit
from ouroboros.search.response import KERNEL, PENDING, START, FairRounds
from ouroboros.system.layout import Vector
from ouroboros.verdict.outcome import Finding

# Marks of a state, besides those of the rounds.
_LEFT = KERNEL  # not given up; there is no further round that would need the kernel
_GOAL = np.uint8(128)

_UNSEEN = np.uint64(0)
_START = np.uint64((1 << 64) - 1)
_OWNER_SHIFT = np.uint64(40)
_ONE, _NONE = np.uint64(1), np.uint64(0)
_MOST = 1 << 16


@record("uint8[::1], uint64[::1], uint64[:, ::1], uint64[:, ::1], uint64[::1]")
class Due(NamedTuple):
    """What a walk looks for."""

    marks: Marks
    """Of the states."""
    wanted: Words
    """The fair actions that are still to be taken, or, if they are weakly fair, to be disabled."""
    taken: Words
    enabled: Words
    weak: Words


@record("uint64[::1], uint16[::1], uint32[::1], int64[::1]")
class Tree(NamedTuple):
    """How the states that were seen were reached, and a queue of them."""

    parents: Words
    labels: Labels
    ring: Ids
    ends: Ends


@kernel("int64(uint32[::1], uint32[::1], uint16[::1], uint64, uint8, Due, Tree)")
def _discover(targets: Ids, sources: Ids, labels: Labels, sender: int, allowed: np.uint8, due: Due, tree: Tree) -> int:
    """Follow edges to allowed states; returns the first edge that takes what is wanted, or leads to where it is
    disabled or to a goal, or -1.
    """
    marks, wanted, taken, enabled, weak = due
    parents, parent_labels, ring, ends = tree
    for k in range(targets.size):
        target = targets[k]
        if marks[target] & allowed == 0:
            continue
        hit = _ONE if marks[target] & _GOAL else _NONE
        for w in range(wanted.size):
            hit |= wanted[w] & (taken[labels[k], w] | (weak[w] & ~enabled[w, target]))
        if hit:
            return k
        if parents[target] == _UNSEEN:
            parents[target] = (np.uint64(sender) << _OWNER_SHIFT) | (np.uint64(sources[k]) + _ONE)
            parent_labels[target] = labels[k]
            push(ring, ends, target)
    return -1


class FairLassoFinder:
    def __init__(self, rounds: FairRounds) -> None:
        search = rounds.search
        states = search.explorer.store.count
        search.claim("ways", 8 + 2)
        self.search = search
        self.rounds = rounds
        self.edges = rounds.edges
        self.bits = rounds.bits
        self.marks = rounds.marks
        # One place is always free, so that the ring never comes round.
        self.queue = Queue(states + 1)
        self.parents = reserve(states, np.uint64)
        self.parent_labels = reserve(states, np.uint16)
        self._nothing = self.bits.mask([])
        self._exact = search.explorer.identity_bits is None
        self._start = Place(0, 0)
        """Where the last way that was found begins."""

    def find(self) -> Finding | None:
        """A lasso whose cycle is fair; None if all that there are lead through states taken for one. Collective."""
        self.marks &= ~_LEFT
        self.marks[self.rounds.candidates()] |= _LEFT
        while first := self._oldest(_LEFT):
            cycle = self._cycle_from(first)
            finding = self._lasso(cycle) if cycle else None
            if finding:
                return finding
        if self._exact:
            raise SelfCheckError("no alive state lies on a fair cycle")
        return None

    def _cycle_from(self, first: Place) -> list[Visit] | None:
        """The visits of a fair cycle after its first state, which comes last; None, and all that can be reached from
        there is given up, if there is none.
        """
        walk = [self._visit(first, 0)]
        while True:
            wanted = self._wanted(walk)
            if not wanted.any():
                if len(walk) == 1 and self.rounds.stutters:
                    return walk
                if len(walk) > 1 and walk[-1].place == first:
                    return walk[1:]
                way = self._way_back(walk[-1].place, first)
            else:
                way = self._way([walk[-1].place], _LEFT, wanted)
                if way and way[-1].place != first and not self._way_back(way[-1].place, first):
                    continue
            if way is None:
                self._give_up()
                return None
            walk += way

    def _wanted(self, walk: list[Visit]) -> Words:
        """The fair actions that would not have their due if the walk were repeated for ever."""
        once = np.bitwise_or.reduce([np.array(visit.enabled, np.uint64) for visit in walk])
        always = np.bitwise_and.reduce([np.array(visit.enabled, np.uint64) for visit in walk])
        done = np.bitwise_or.reduce([self.bits.taken[visit.label] for visit in walk[1:]] or [self._nothing])
        wanted: Words = ((self.bits.weak & always) | (~self.bits.weak & once)) & ~done
        return wanted

    def _way_back(self, place: Place, first: Place) -> list[Visit] | None:
        """A shortest way to the first state; if there is none, all that can be reached is given up."""
        here = first.owner == self.search.exchange.rank
        if here:
            self.marks[first.identifier] |= _GOAL
        way = self._way([place], _LEFT, self._nothing)
        if here:
            self.marks[first.identifier] &= ~_GOAL
        if way is None:
            self._give_up()
        return way

    def _way(self, starts: list[Place] | None, allowed: np.uint8, wanted: Words) -> list[Visit] | None:
        """A shortest way along allowed states to what is wanted, level by level over all workers. Collective.

        Begins at the start states where no others are given; returns the visits after the first.
        """
        rank = self.search.exchange.rank
        if starts is None:
            own = np.flatnonzero(self.marks & START)
        else:
            own = np.array([place.identifier for place in starts if place.owner == rank], np.int64)
        self.parents[self._seen] = _UNSEEN
        self.parents[own] = _START
        self.queue.ring[: own.size] = own
        self.queue.ends[:] = own.size
        due = Due(self.marks, wanted, self.bits.taken, self.rounds.enabled, self.bits.weak)
        tree = Tree(self.parents, self.parent_labels, self.queue.ring, self.queue.ends)
        while True:
            level = self.queue.count
            if self.search.watch("counterexample", level) == 0:
                return None
            hit = [0] * 4
            while self.search.total(level):
                done = self.edges.fill(self.queue.peek(min(level, _MOST)))
                arrivals = self.edges.deliver()
                self.queue.drop(done)
                level -= done
                for arrival in arrivals:
                    k = _discover(arrival.targets, arrival.sources, arrival.labels, arrival.sender, allowed, due, tree)
                    if k >= 0 and not hit[0]:
                        target, source = int(arrival.targets[k]), int(arrival.sources[k])
                        hit = [target + 1, arrival.sender, source, int(arrival.labels[k])]
            hits = self.search.exchange.gather(hit)
            owners = np.flatnonzero(hits[:, 0])
            if owners.size:
                target, sender, source, label = map(int, hits[owners[0]])
                last = self._visit(Place(int(owners[0]), target - 1), label)
                return [*self._walk_back(Place(sender, source)), last]

    def _walk_back(self, place: Place) -> list[Visit]:
        """The visits from the start of a search to a state, without the start."""
        visits: list[Visit] = []
        while True:
            message = np.zeros(2, np.int64)
            if place.owner == self.search.exchange.rank:
                message[0] = self.parents[place.identifier].astype(np.int64)
                message[1] = self.parent_labels[place.identifier]
            parent, label = map(int, self.search.exchange.total(message))
            self._start = place
            if parent == -1:
                return visits[::-1]
            visits.append(self._visit(place, label))
            place = Place(parent >> int(_OWNER_SHIFT), (parent & ((1 << int(_OWNER_SHIFT)) - 1)) - 1)

    def _visit(self, place: Place, label: int) -> Visit:
        message = np.zeros(self.bits.words, np.int64)
        if place.owner == self.search.exchange.rank:
            message[:] = self.rounds.enabled[:, place.identifier].view(np.int64)
        return Visit(place, label, tuple(map(int, self.search.exchange.total(message))))

    def _lasso(self, cycle: list[Visit]) -> Finding | None:
        """The way to the cycle that is shortest in pending states; it enters the cycle where it meets it.

        If that is no run of the model, the states of the cycle are given up.
        """
        rank = self.search.exchange.rank
        on_cycle = [visit.place.identifier for visit in cycle if visit.place.owner == rank]
        self.marks[on_cycle] |= _GOAL
        start = self._oldest(START | _GOAL)
        way: list[Visit] = []
        if start is None:
            found = self._way(None, PENDING, self._nothing)
            if found is None:
                raise SelfCheckError("no start state reaches the fair cycle")
            start, way = self._start, found
        entry = way[-1].place if way else start
        at = next(number for number, visit in enumerate(cycle) if visit.place == entry)
        around = [*cycle[at + 1 :], *cycle[: at + 1]]
        lasso = self._states(start, way, around)
        if lasso is None:
            self.marks[on_cycle] &= ~(_GOAL | _LEFT)
            return None
        self.search.end_phase("counterexample", len(around))
        return Finding("cycle", *lasso, [self.bits.fair_actions_of(visit.label) for visit in around])

    def _states(self, start: Place, way: list[Visit], around: list[Visit]) -> tuple[list[Vector], list[Vector]] | None:
        """The states up to the cycle, and those on it."""
        if not self._exact:
            return HashedLasso(self.rounds).states(self._visit(start, 0), way, around)
        explorer = self.search.explorer
        stem = [*explorer.path_to(start), *explorer.vectors_of([visit.place for visit in way])]
        return stem, explorer.vectors_of([visit.place for visit in around])

    def _oldest(self, marks: np.uint8) -> Place | None:
        """The first state of a worker that has all these marks, if there is one. Collective."""
        own = np.flatnonzero(self.marks & marks == marks)[:1]
        offers = self.search.exchange.gather(own[0] + 1 if own.size else 0)
        owners = np.flatnonzero(offers)
        return Place(int(owners[0]), int(offers[owners[0]]) - 1) if owners.size else None

    @property
    def _seen(self) -> Ids:
        """The states that the last search has seen: each search begins at the start of the ring."""
        return self.queue.ring[: int(self.queue.ends[0])]

    def _give_up(self) -> None:
        self.marks[self._seen] &= ~_LEFT
