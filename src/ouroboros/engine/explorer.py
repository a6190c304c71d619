"""One worker's share of a breadth-first exploration, level by level."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, cast

import numpy as np

from ouroboros.engine.balance import NO_PLAN, Borrowed, Plan
from ouroboros.engine.exchange.base import NO_NUMBERS, Exchange, Totals, nothing
from ouroboros.engine.generation import Arrival, Generation, most_arrivals
from ouroboros.engine.lineage import lineage
from ouroboros.engine.owners import Ownership
from ouroboros.engine.parents import INITIAL, Parents, Place, Runs
from ouroboros.engine.retrace import Sign, retrace
from ouroboros.engine.review import Review
from ouroboros.engine.stores.base import MOST_STATES, ExactStore, LossyStore, Store
from ouroboros.engine.stores.choice import FULL, StoreChoice
from ouroboros.graph.notes import NOTHING, PLACES
from ouroboros.graph.protocol import Graph, ReducedGraph
from ouroboros.memory import Budget, Ids, OutOfMemory, Words
from ouroboros.system.layout import Vector
from ouroboros.verdict.outcome import Forecast, LimitName

if TYPE_CHECKING:
    # Only who needs it loads its kernels.
    from ouroboros.engine.stores.covering import CoveringStore


class Explorer:
    """States are expanded in the order of their ids, level by level, so that a state's parent is one step nearer to
    the initial states. The frontier is a range of ids and needs no memory of its own.
    """

    def __init__(
        self,
        graph: Graph,
        exchange: Exchange,
        budget: Budget,
        choice: StoreChoice = FULL,
        reduced: ReducedGraph | None = None,
    ) -> None:
        """`reduced` is the graph, if steps that it leaves out are to be made where they would never be."""
        words = graph.words
        self.exchange = exchange
        self.budget = budget
        self.graph = graph
        """For making the steps of a path again."""
        self.store: Store = choice.create(words, budget, most_arrivals(graph, exchange, budget))
        self.generation = Generation(graph, self.store, exchange, budget)
        self.most_states = min(MOST_STATES, budget.limit // choice.least_bytes(words)) + 1
        """For arrays over the states: more can never be stored."""
        self._lineage = None if choice.exact else lineage(words, self.most_states, budget, choice.ways)
        self._parents = self._lineage or Parents(self.most_states, budget)
        self.ownership = Ownership(words, graph.owning_words, exchange.size)
        self._review = Review(reduced, self.generation) if reduced else None
        self._covering = cast("CoveringStore", self.store) if choice.covering else None
        self._initial: Sequence[Vector] = ()
        self.next = 0
        """The first id that is not expanded yet."""
        self.level_end = 0
        """The first id of the next level."""
        self.level_ends: list[int] = []
        self.expanded = 0
        """States of the last round, own and borrowed."""
        self.moved = 0
        """States that were handed over to other workers."""
        self._borrowed: Borrowed | None = None
        self._unfill: Callable[[], None] | None = None
        """If states were expanded ahead: what takes that back."""
        self._lack: OutOfMemory | None = None
        """What this worker met when it was to expand states."""
        self._behalf = np.arange(exchange.size, dtype=np.uint16)
        """Whose states each worker expands."""
        self._noted = dict.fromkeys(PLACES, exchange.rank)
        """Whose states the notes speak of."""

    @property
    def exact(self) -> ExactStore:
        """The store, for who knows that it has every state."""
        assert self._lineage is None
        return cast(ExactStore, self.store)

    @property
    def parents(self) -> Parents:
        """The parents of all states, for who knows that the store is exact."""
        return self._parents

    @property
    def identity_bits(self) -> int | None:
        """Of a store that may take two states for one, if it keeps hashes."""
        return None if self._lineage is None else cast(LossyStore, self.store).identity_bits

    @property
    def coverage(self) -> float | None:
        """Of a store that is a filter: an estimate of the share of the states met that were visited."""
        return None if self._lineage is None else cast(LossyStore, self.store).coverage

    def forecast(self, choice: StoreChoice, limit: LimitName | None, cycles: bool = False) -> tuple[Forecast, ...]:
        """After a search that ended at a limit: what other stores would have made of the memory. Collective."""
        if limit != "memory" or not choice.exact:
            return ()
        # Only who needs it loads the tree store.
        from ouroboros.engine.forecast import forecasts

        others = self.budget.used_for("parents", "marks") / max(1, self.store.count)
        return forecasts(self.exact, self.budget, self.exchange, choice, others, cycles)

    @property
    def superseded(self) -> int:
        """Own states that are kept only for the paths through them, for later ones cover them."""
        return self._covering.superseded if self._covering else 0

    @property
    def remaining(self) -> int:
        """Own states of this level that are still to be expanded, and were not handed over."""
        return self.level_end - self.next + self.pending

    @property
    def reviews(self) -> bool:
        """Whether states may have to be expanded once more: then they are expanded by their owner."""
        return self._review is not None

    @property
    def pending(self) -> int:
        """Own states that are to be expanded once more."""
        return self._review.pending.size if self._review else 0

    @property
    def borrowed(self) -> int:
        """States of other workers that are still to be expanded here."""
        return self._borrowed.count if self._borrowed else 0

    @property
    def most_given(self) -> int:
        """States that are handed over at once: a fraction of what a round sends."""
        return max(1, self.generation.room // 8)

    @property
    def frontier(self) -> int:
        return self.store.count - self.next

    def start(self, initial: Sequence[Vector]) -> None:
        """Store the initial states that this worker owns: they are level zero."""
        self._initial = initial
        for vector in initial:
            words = np.array(vector, np.uint64)
            if self.is_own(vector):
                target = np.zeros(1, np.uint32)
                self.store.insert(words, 1, target)
                source = np.array([INITIAL], np.uint32)
                self._parents.adopt(target, source, words, Runs.one(self.exchange.rank, 1))
        self.advance()

    def round(
        self,
        payloads: tuple[Words, ...] = (),
        every_edge: bool = True,
        plan: Plan = NO_PLAN,
        numbers: Callable[[], Totals] = lambda: NO_NUMBERS,
        ahead: bool = False,
    ) -> list[Arrival]:
        """Expand some of the level's states and store what the others and this worker found that is owned here.

        Returns the edges that arrived. A payload is an array over this worker's ids. A plan is only for searches that
        want nothing of an edge but its target. The numbers are asked for when the states are expanded, but what was
        found is not stored yet; `sums` are theirs over all workers. With `ahead`, states are expanded for the next
        round before what arrives in this one is waited for; only where not every edge is wanted.
        """
        if plan.gifts:
            self._hand_over(plan)
        if self._unfill is None:
            self._fill(self.level_end if plan.most is None else min(self.level_end, self.next + plan.most))
        self._unfill = None
        arrivals: list[Arrival] = []
        if every_edge:
            try:
                arrivals = self.generation.deliver(payloads, numbers())
                for arrival in arrivals:
                    self._parents.adopt(arrival.targets, arrival.sources, arrival.vectors, arrival.runs)
            except OutOfMemory as refusal:
                if self._review is None:
                    raise
                # The others are about to tell what was new, and this worker must be there.
                self._lack = refusal
            if self._review:
                self._review.after_round(self.level_end)
        else:
            mixture = self.generation.collect(numbers(), self._fill_ahead if ahead else nothing)
            runs = mixture.runs._replace(senders=self._behalf[mixture.runs.senders])
            self._parents.adopt(mixture.targets, mixture.sources, mixture.vectors, runs)
        if self._lack:
            lack, self._lack = self._lack, None
            raise lack
        return arrivals

    def _fill(self, stop: int) -> None:
        """Expand borrowed states or else own ones up to this id, as many as fit into the boxes."""
        self._note_whose()
        if self._review and self._review.pending.size:
            return self._fill_again(self._review)
        try:
            identifiers, batch, end = self._batch(stop)
        except OutOfMemory as lack:
            # The others are about to exchange what they have, and this worker must be there.
            self._lack, identifiers, batch, end = lack, np.zeros(0, np.uint32), np.zeros(0, np.uint64), self.next
        self.expanded = self.generation.fill(batch, identifiers)
        if self._borrowed:
            self._borrowed.drop(self.expanded)
        else:
            self.next = end if self.expanded == identifiers.size else int(identifiers[self.expanded])
        return None

    def _fill_again(self, review: Review) -> None:
        """Expand states once more."""
        again = review.begin()[: self.generation.room]
        try:
            batch = self.exact.gather(again)
        except OutOfMemory as lack:
            self._lack, again, batch = lack, again[:0], np.zeros(0, np.uint64)
        self.expanded = self.generation.fill(batch, again)
        review.end(self.expanded)

    def _fill_ahead(self) -> None:
        """Expand half a level: of this one, or if that is done, of what is known of the next."""
        first, notes = self.next, self.generation.notes.copy()
        begin = self.level_ends[-2]
        half = first + max(1, (self.level_end - begin) // 2)
        if first < self.level_end:
            self._fill(min(self.level_end, half) if first == begin else self.level_end)
        else:
            self._fill(min(self.store.count, half))

        def unfill() -> None:
            self.next = first
            self.generation.notes[:] = notes
            self.generation.take_back()

        self._unfill = unfill

    def take_back(self) -> None:
        """Have nothing expanded ahead."""
        if self._unfill:
            self._unfill()
        self._unfill = None

    def stay(self) -> None:
        """Have nothing expanded ahead of another level than this."""
        if self.next > self.level_end:
            self.take_back()

    @property
    def sent(self) -> int:
        """Edges from here in the last round."""
        return self.generation.sent

    @property
    def sums(self) -> Totals:
        """The numbers of the last round's meeting."""
        return self.generation.sums

    def _batch(self, stop: int) -> tuple[Ids, Words, int]:
        """The states to expand next, and the own id up to which nothing else is to be expanded then."""
        if self._borrowed and not self._borrowed.count:
            self._borrowed = None
        stop = min(stop, self.next + self.generation.room)
        if self._borrowed:
            first, batch = self._borrowed.first, self._borrowed.vectors
        elif self._covering:
            waiting = self._covering.waiting(self.next, stop)
            return waiting, self._covering.gather(waiting), stop
        else:
            first, batch = self.next, self.store.batch(self.next, stop)
        end = first + batch.size // self.store.words
        return np.arange(first, end, dtype=np.uint32), batch, end

    def _hand_over(self, plan: Plan) -> None:
        """Give the first states of the queue away, and get some. Collective."""
        nothing = np.zeros(0, np.uint64)
        vectors = [nothing] * self.exchange.size
        firsts = [nothing] * self.exchange.size
        for giver, helper, states in plan.gifts:
            self._behalf[helper] = giver
            if giver == self.exchange.rank:
                firsts[helper] = np.array([self.next], np.uint64)
                # Who cannot read its queue meets that again at its next batch, and gives nothing away.
                with suppress(OutOfMemory):
                    vectors[helper] = self.store.batch(self.next, self.next + states).copy()
                given = vectors[helper].size // self.store.words
                self.next += given
                self.moved += given
        received, numbers = self.exchange.swap(vectors, firsts)
        for giver, helper, _ in plan.gifts:
            if helper == self.exchange.rank:
                # A copy: what was received is only valid until the next meeting.
                self._borrowed = Borrowed(giver, int(numbers[giver][0]), received[giver].copy(), self.store.words)

    def _note_whose(self) -> None:
        """What is met for the first time from now on will be met in a state of who this worker works for."""
        for note in PLACES:
            if self.generation.notes[note] == NOTHING:
                self._noted[note] = int(self._behalf[self.exchange.rank])

    def whose(self, note: int) -> int:
        """The owner of the state in which an expansion by this worker has met something."""
        return self._noted[note]

    def noted(self, note: int) -> Place | None:
        """The first state in which an expansion by this worker has met something."""
        identifier = int(self.generation.notes[note])
        return None if identifier == NOTHING else Place(self._noted[note], identifier)

    def advance(self) -> None:
        """Go on to the next level: what was found since the last call."""
        self.level_end = self.store.count
        self._borrowed = None
        self._behalf = np.arange(self.exchange.size, dtype=np.uint16)
        self.level_ends.append(self.level_end)

    def retreat(self) -> None:
        """Take back the last step to another level: there is none."""
        self.level_ends.pop()

    def restore(self, level_ends: list[int], expanded: int) -> None:
        """Go on where so many states are expanded, of those that are stored already."""
        self.level_ends = level_ends
        self.level_end = level_ends[-1]
        self.next = expanded

    def rewind(self) -> Callable[[], None]:
        """Have all states that are expanded expanded once more, as one level; returns what ends that, and leaves all
        as it was.
        """
        expanded, level_end, notes = self.next, self.level_end, self.generation.notes.copy()
        self.next, self.level_end = 0, expanded

        def unwind() -> None:
            self.level_end = level_end
            self.generation.notes[:] = notes

        return unwind

    @property
    def initial_states(self) -> int:
        """The first so many ids are the initial states."""
        return self.level_ends[0]

    def depth_of(self, identifier: int) -> int:
        """Steps from the initial states to a state of this worker."""
        return bisect_right(self.level_ends, identifier)

    def path_to(self, place: Place, confirm: Callable[[Vector], bool] = lambda _: True) -> list[Vector]:
        """The states from an initial one to the given one. Collective; every worker gets the whole path.

        Where a store may take states for one, the last is one that `confirm` accepts; raises Untraceable if none is.
        """
        places = self._ancestors(place)
        if self._lineage is None:
            return self.vectors_of(places)
        signs = self.exchange.total(
            np.array([self._lineage.tag(at.identifier) if self._is_here(at) else 0 for at in places], np.int64)
        )
        steps = [(at.owner, int(tag)) for at, tag in zip(places, signs, strict=True)]
        return retrace(self.graph, self._initial, steps, self._sign, confirm)

    def _is_here(self, place: Place) -> bool:
        return place.owner == self.exchange.rank

    def _ancestors(self, place: Place) -> list[Place]:
        """The places on the way from an initial state to the given one. Collective."""
        places = [place]
        while parent := self.parent_of(places[-1]):
            places.append(parent)
        return places[::-1]

    def parent_of(self, place: Place) -> Place | None:
        """Where a state was first reached from; None for an initial one. Collective."""
        owner, parent = self._parents.parent(place.identifier) if self._is_here(place) else (0, 0)
        owner, parent = map(int, self.exchange.total(np.array([owner, parent], np.int64)))
        return None if parent == INITIAL else Place(owner, parent)

    def vectors_of(self, places: Sequence[Place]) -> list[Vector]:
        """The states at these places. Collective; every worker gets them all."""
        vectors = np.zeros((len(places), self.store.words), np.int64)
        for at, place in enumerate(places):
            if self._is_here(place):
                vectors[at] = self.exact.vectors(place.identifier, place.identifier + 1).view(np.int64)
        return [tuple(map(int, row)) for row in self.exchange.total(vectors).view(np.uint64)]

    def is_own(self, vector: Vector) -> bool:
        """Whether this worker stores the state."""
        return self.ownership.of_one(vector) == self.exchange.rank

    def _sign(self, vector: Vector) -> Sign:
        assert self._lineage
        return self.ownership.of_one(vector), self._lineage.tag_of(vector)
