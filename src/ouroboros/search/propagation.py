"""Running a vertex program: states in a queue send along their edges, what arrives may queue more states."""

from __future__ import annotations

from collections.abc import Callable

from ouroboros.engine.edges import Edges
from ouroboros.engine.generation import Arrival
from ouroboros.engine.queue import Queue
from ouroboros.memory import Words
from ouroboros.search.graph_search import GraphSearch

_MOST = 1 << 15


def propagate(
    search: GraphSearch,
    phase: str,
    edges: Edges,
    queue: Queue,
    receive: Callable[[Arrival], None],
    payloads: tuple[Words, ...] = (),
    leaving: Callable[[int], None] | None = None,
) -> None:
    """Send along edges until the queues of all workers are empty. Collective.

    `leaving` is told how many states leave the head of the queue, before what they sent is received.
    """
    while True:
        done = edges.fill(queue.arranged(_MOST))
        # One meeting a round: what is on its way waits, too.
        arrivals = edges.deliver(payloads, search.numbers(queue.count - done + edges.sent))
        if search.heed(phase, edges.sums) == 0:
            return
        if leaving:
            leaving(done)
        queue.drop(done)
        for arrival in arrivals:
            receive(arrival)
