"""Ranks: the reason why a product has no accepting cycle. A rank is a number for each state that no edge increases, and
that every edge from an accepting state decreases.

It is OWCTY once more, on a graph that is known to have no accepting cycle, with a number for each state that leaves S:
no less than those of its predecessors, and more than those of accepting ones. A state that no accepting state of S
reaches leaves with the number of the iteration; one that is eliminated, after all its predecessors, with the greatest
that these have sent. The next iteration begins with a number that is greater than all before it. So numbers increase
along the edges; ranks are their distance from the greatest.

The time is that of OWCTY: linear for each iteration, and iterations are few.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ouroboros.engine.generation import Arrival
from ouroboros.engine.queue import Ends, Queue, push
from ouroboros.errors import SelfCheckError
from ouroboros.jit import kernel
from ouroboros.memory import Ids, Words, reserve
from ouroboros.search.product_search import ProductSearch
from ouroboros.search.propagation import propagate

_IN = np.uint32(1 << 31)
_OUT = np.uint32(0)
_ONE = np.uint32(1)
_BYTES_FOR_STATE = 4 + 4 + 1 + 8 + 8
"""Queue, entry, mark, demand, and the rank itself."""

Marks = npt.NDArray[np.uint8]


@kernel("int64(uint32[::1], uint8[::1], uint8[::1], uint32[::1], int64[::1])")
def _seed(entries: Ids, inside: Marks, accepting: Marks, ring: Ids, ends: Ends) -> int:
    """Begin with the accepting states of S, and queue these; returns their number."""
    seeds = 0
    for state in range(entries.size):
        entries[state] = _OUT
        if inside[state] and accepting[state]:
            entries[state] = _IN
            push(ring, ends, np.uint32(state))
            seeds += 1
    return seeds


@kernel("void(uint32[::1], uint32[::1], uint32[::1], int64[::1])")
def _reach(targets: Ids, entries: Ids, ring: Ids, ends: Ends) -> None:
    """Count a predecessor of each target, which may be new."""
    for k in range(targets.size):
        target = targets[k]
        if entries[target] & _IN == 0:
            entries[target] = _IN
            push(ring, ends, target)
        entries[target] += _ONE


@kernel("int64(uint32[::1], uint8[::1], uint8[::1], uint64[::1], uint64, uint32[::1], int64[::1])")
def _leave(entries: Ids, inside: Marks, accepting: Marks, demands: Words, base: int, ring: Ids, ends: Ends) -> int:
    """Remove from S what was not reached, with the number `base`, and remove and queue what has no predecessor in it.

    All others will have at least that number. Returns how many have left.
    """
    left = 0
    for state in range(entries.size):
        if inside[state]:
            demands[state] = base + accepting[state]
            if entries[state] & _IN == 0:
                inside[state] = 0
                left += 1
            elif entries[state] == _IN:
                inside[state] = 0
                push(ring, ends, np.uint32(state))
                left += 1
    return left


@kernel("int64(uint32[::1], uint64[::1], uint32[::1], uint8[::1], uint8[::1], uint64[::1], uint32[::1], int64[::1])")
def _eliminate(
    targets: Ids,
    arrived: Words,
    entries: Ids,
    inside: Marks,
    accepting: Marks,
    demands: Words,
    ring: Ids,
    ends: Ends,
) -> int:
    """A predecessor of each target is gone; the target's number must not be less than what arrived.

    Returns how many targets leave S, for it was their last.
    """
    left = 0
    for k in range(targets.size):
        target = targets[k]
        if inside[target]:
            demands[target] = max(demands[target], arrived[k] + np.uint64(accepting[target]))
            entries[target] -= _ONE
            if entries[target] == _IN:
                inside[target] = 0
                push(ring, ends, target)
                left += 1
    return left


def ranks_of(search: ProductSearch) -> Words:
    """The ranks of this worker's states, in a product without accepting cycles. Collective; raises Stopped."""
    search.claim("ranks", _BYTES_FOR_STATE)
    edges = search.edges(payloads=1)
    states = search.explorer.store.count
    queue = Queue(max(1, states))
    entries = reserve(states, np.uint32)[:states]
    inside = np.ones(states, np.uint8)
    demands = reserve(states, np.uint64)[:states]
    """What each state demands of the numbers of its successors: its own, and one more if it is accepting."""
    accepting = search.accepting[:states]
    left, own_left, base = search.total(states), states, 0

    def reach(arrival: Arrival) -> None:
        _reach(arrival.targets, entries, queue.ring, queue.ends)

    def eliminate(arrival: Arrival) -> None:
        nonlocal own_left
        demanded = arrival.payloads[0]
        own_left -= _eliminate(arrival.targets, demanded, entries, inside, accepting, demands, queue.ring, queue.ends)

    while left:
        before = left
        _seed(entries, inside, accepting, queue.ring, queue.ends)
        propagate(search, "ranks", edges, queue, reach, (demands,))
        own_left -= _leave(entries, inside, accepting, demands, base, queue.ring, queue.ends)
        propagate(search, "ranks", edges, queue, eliminate, (demands,))
        left = search.total(own_left)
        if left == before:
            raise SelfCheckError("there is an accepting cycle in a product that was found to have none")
        base = _greatest(search, demands[inside == 0])
    search.end_phase("ranks", search.total(states))
    return np.uint64(base) + accepting - demands


def _greatest(search: ProductSearch, demands: Words) -> int:
    """Over all workers. Collective."""
    return int(search.exchange.gather(demands.max(initial=0)).max())
