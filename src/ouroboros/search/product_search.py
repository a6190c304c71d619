"""What the searches for accepting cycles share: the explored product, its accepting states, and its edges.

Exploration looks for cycles on the fly, as in section 2.3 of the OWCTY_HC paper: an accepting state with an edge to
itself, and one pass of MAP without re-propagation, in which a state passes on the maximal accepting predecessor that
it knows of when it is expanded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from ouroboros.engine.generation import Arrival
from ouroboros.engine.parents import Place
from ouroboros.graph.protocol import AcceptingGraph
from ouroboros.jit import inlined, kernel
from ouroboros.memory import Ids, Words, reserve
from ouroboros.search.exploration import Alarm
from ouroboros.search.graph_search import EdgePolicy, GraphSearch
from ouroboros.search.worker import Worker
from ouroboros.system.layout import Vector

Order = Literal["discovery", "reverse", "hash"]

ORDERS: tuple[Order, ...] = ("discovery", "reverse", "hash")
_REVERSE, _HASH = np.int64(1), np.int64(2)
_TOP = np.uint64(1 << 62)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)

_AT_ONCE = 1 << 16
"""States whose vectors are looked at together."""


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


class ProductSearch(GraphSearch):
    """One worker's share of the product."""

    def __init__(
        self,
        graph: AcceptingGraph,
        worker: Worker,
        order: Order,
        edges: EdgePolicy,
        goal: Vector | None = None,
    ) -> None:
        """Exploration ends at any accepting state, where that is enough for a cycle, or at the `goal`."""
        super().__init__(graph, worker, edges)
        self._accepting_graph = graph
        self.order = ORDERS.index(order)
        self.accepting = reserve(self.explorer.most_states, np.uint8)
        self.suspect = -1
        """A state of this worker on an accepting cycle, if exploration met one."""
        self._payload = reserve(self.explorer.most_states, np.uint64)
        self.explorer.generation.prepare(payloads=1)
        self._any_accepting = graph.ends_accepted
        self._goal = goal
        self._marked = 0

    def explore(self, payloads: tuple[Words, ...] = ()) -> bool:
        """Explore the product; True if a cycle or another violation was found on the way."""
        alarmed = super().explore((self._payload, *payloads))
        # The payload was only for finding cycles early.
        self._payload = reserve(1, np.uint64)
        self.budget.claim("marks", self._marked)
        return alarmed

    def _alarm(self) -> Alarm:
        self._mark()
        alarm = super()._alarm()
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
                known = self._accepting_graph.mark_new(arrival.vectors, arrival.targets, known, self.accepting)
        for start in range(known, count, _AT_ONCE):
            stop = min(start + _AT_ONCE, count)
            self._accepting_graph.mark_accepting(self.explorer.exact.vectors(start, stop), self.accepting[start:stop])
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
        super()._visit(sent, arrivals)
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

    def suspect_place(self) -> Place | None:
        """The accepting state on a cycle that the workers agree on. Collective."""
        suspects = self.exchange.gather(self.suspect + 1)
        owners = np.flatnonzero(suspects)
        return Place(int(owners[0]), int(suspects[owners[0]]) - 1) if owners.size else None
