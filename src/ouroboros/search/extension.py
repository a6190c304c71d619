"""From a bad prefix to a whole run: walking on from a state of a terminal automaton until the run closes a cycle."""

from __future__ import annotations

from ouroboros.graph.protocol import AcceptingGraph
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.layout import Vector
from ouroboros.verdict.outcome import Finding


def extend_to_lasso(graph: AcceptingGraph, path: list[Vector]) -> Finding:
    """A stem that goes on from the end of `path`, and the cycle after it.

    The automaton accepts every continuation from there, and the system can always go on: where nothing can happen, a
    run of it repeats its last state. So a walk closes at the first chance, unless it comes to where all that can happen
    is a failure, which is a violation too.
    """
    walk = [path[-1]]
    position = {walk[0]: 0}
    while True:
        try:
            # Of the ways that the automaton can go, one is always accepting, too.
            following = graph.follow(walk[-1])
        except ExecutionError:
            return Finding("proposition", [*path[:-1], *walk])
        if not following:
            return Finding("failure", [*path[:-1], *walk])
        closing = [position[state] for state in following if state in position]
        if closing:
            start = max(closing)
            return Finding("cycle", [*path[:-1], *walk[: start + 1]], [*walk[start + 1 :], walk[start]])
        position[following[0]] = len(walk)
        walk.append(following[0])
