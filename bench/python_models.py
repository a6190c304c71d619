"""Python models against the same systems in DVE and Murphi; those that Python runs against a plain search in Python.

    python bench/python_models.py [ROUNDS]

All visit every state. Programs take turns, and the best of their rounds counts: states per second of CPU time.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from ouroboros.checking import explore
from ouroboros.languages import load, load_text
from ouroboros.source import Source

EXAMPLES = Path(__file__).parents[1] / "examples"
PHILOSOPHERS = 11
TICKETS = 6
Visit: TypeAlias = Callable[[], tuple[int, float]]


class Sliding:
    """A model that Python runs: the eight-puzzle, a state is the number on each of nine squares."""

    def initial(self) -> tuple[int, ...]:
        return (0, 1, 2, 3, 4, 5, 6, 7, 8)

    def successors(self, state: tuple[int, ...]) -> list[tuple[int, ...]]:
        gap = state.index(0)
        found = []
        for other in NEIGHBOURS[gap]:
            squares = list(state)
            squares[gap], squares[other] = squares[other], 0
            found.append(tuple(squares))
        return found


NEIGHBOURS = [
    [other for other in range(9) if abs(other // 3 - at // 3) + abs(other % 3 - at % 3) == 1] for at in range(9)
]


def philosophers(number: int) -> str:
    """In DVE."""
    lines = [f"byte fork[{number}];"]
    for me in range(number):
        right = (me + 1) % number
        lines.append(f"""process P{me} {{
  state thinking, waiting, eating, leaving;
  init thinking;
  trans
    thinking -> waiting {{ guard fork[{me}] == 0; effect fork[{me}] = 1; }},
    waiting -> eating {{ guard fork[{right}] == 0; effect fork[{right}] = 1; }},
    eating -> leaving {{ effect fork[{right}] = 0; }},
    leaving -> thinking {{ effect fork[{me}] = 0; }};
}}""")
    return "\n".join([*lines, "system async;"])


def engine(model: Any) -> Callable[[], tuple[int, float]]:
    def run() -> tuple[int, float]:
        start = time.process_time()
        states = explore(model).statistics.states
        return states, time.process_time() - start

    return run


def anew(source: Source, definitions: dict[str, str] | None = None) -> Visit:
    """The model is read for each run: one that was searched knows its states."""

    def run() -> tuple[int, float]:
        return engine(load_text(source, definitions=definitions or {}))()

    return run


def plain(graph: Sliding) -> tuple[int, float]:
    """What a user of Python has without a model checker."""
    start = time.process_time()
    first = graph.initial()
    seen, frontier = {first}, [first]
    while frontier:
        following = []
        for state in frontier:
            for target in graph.successors(state):
                if target not in seen:
                    seen.add(target)
                    following.append(target)
        frontier = following
    return len(seen), time.process_time() - start


def compared(
    title: str, ours: Callable[[], tuple[int, float]], theirs: Callable[[], tuple[int, float]], n: int
) -> None:
    rates: list[list[float]] = [[], []]
    for _ in range(n):
        counts = []
        for number, run in enumerate((ours, theirs)):
            states, seconds = run()
            counts.append(states)
            rates[number].append(states / seconds)
        assert counts[0] == counts[1], (title, counts)
    first, second = map(max, rates)
    print(f"{title:55} {counts[0]:>10,} states {first:>12,.0f} {second:>12,.0f} /s   {first / second:6.2f}")


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    dve = load_text(Source("philosophers.dve", philosophers(PHILOSOPHERS)))
    murphi = load(EXAMPLES / "murphi" / "tickets.m", definitions={"n": str(TICKETS)})
    for name in ("philosophers", "philosophers_actions"):
        model = load(EXAMPLES / "python" / f"{name}.py", definitions={"N": str(PHILOSOPHERS)})
        compared(f"{name}.py and DVE", engine(model), engine(dve), rounds)
    for name in ("tickets", "tickets_actions"):
        model = load(EXAMPLES / "python" / f"{name}.py", definitions={"N": str(TICKETS)})
        compared(f"{name}.py and Murphi", engine(model), engine(murphi), rounds)
    file = "from bench.python_models import Sliding\n\n\nclass Puzzle(Sliding):\n    pass\n"
    compared(
        "run by Python and a plain search",
        anew(Source("puzzle.py", file)),
        lambda: plain(Sliding()),
        rounds,
    )
    actions = EXAMPLES / "python" / "philosophers_actions.py"
    text = actions.read_text().replace(
        "class Philosophers(Model):\n", "class Philosophers(Model):\n    compiled = False\n"
    )
    few = {"N": "7"}
    compared(
        "philosophers_actions.py, compiled and run by Python",
        engine(load(actions, definitions=few)),
        anew(Source("philosophers.py", text), few),
        1,
    )


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
