"""The state graph of a small model as data."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import numpy.typing as npt

from ouroboros.errors import UsageError
from ouroboros.library.pictures import MOST_DRAWN, graph_svg
from ouroboros.library.states import State, Step

if TYPE_CHECKING:
    from ouroboros.library.models import Model


class Graph:
    """States are numbered from the initial ones on, in breadth-first order; an edge is a step. A step that fails leads
    to no state and is no edge."""

    def __init__(self, states: list[State], steps: list[tuple[int, int, Step]], initial: int) -> None:
        self.states = states
        self.steps = [step for _, _, step in steps]
        """The step of each edge."""
        self.initial = initial
        """How many of the first states are initial."""
        self.edges: npt.NDArray[np.int64] = np.array([(a, b) for a, b, _ in steps], np.int64).reshape(-1, 2)
        """The numbers of the states that each edge leads from and to."""

    def __repr__(self) -> str:
        return f"<Graph of {len(self.states):,} states and {len(self.edges):,} edges>"

    @property
    def labels(self) -> list[str]:
        """What is told of each edge."""
        return [f"{step.process}: {step.action}" if step.process else step.action for step in self.steps]

    def vectors(self) -> npt.NDArray[np.uint64]:
        """The words of each state, a row a state."""
        return np.array([state.vector for state in self.states], np.uint64)

    def to_networkx(self) -> Any:
        """A MultiDiGraph: nodes have the state as their attribute `state`, edges their step."""
        try:
            import networkx
        except ImportError:
            raise UsageError("to_networkx() needs the package networkx: pip install networkx") from None
        graph = networkx.MultiDiGraph()
        for number, state in enumerate(self.states):
            graph.add_node(number, state=state, initial=number < self.initial)
        for (source, target), step, label in zip(self.edges.tolist(), self.steps, self.labels, strict=True):
            graph.add_edge(source, target, step=step, label=label)
        return graph

    def to_dot(self) -> str:
        """For Graphviz."""
        lines = ["digraph states {", '  node [shape=box, fontname="monospace"];']
        for number, state in enumerate(self.states):
            told = "\\n".join(_quoted(f"{name}: {value}") for name, value in state.items())
            style = ", penwidth=2" if number < self.initial else ""
            lines.append(f'  {number} [label="{told}"{style}];')
        for (source, target), label in zip(self.edges.tolist(), self.labels, strict=True):
            lines.append(f'  {source} -> {target} [label="{_quoted(label)}"];')
        return "\n".join([*lines, "}"]) + "\n"

    def to_svg(self) -> str:
        """A picture, of at most 300 states: those that are equally far from the initial ones are in one row."""
        if len(self.states) > MOST_DRAWN:
            raise UsageError(f"a picture has at most {MOST_DRAWN} states, and these are {len(self.states):,}")
        return graph_svg(self)

    def _repr_svg_(self) -> str | None:
        return self.to_svg() if len(self.states) <= MOST_DRAWN else None

    def to_graphml(self) -> str:
        names = list(dict.fromkeys(name for state in self.states for name in state))
        lines = ['<?xml version="1.0" encoding="utf-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
        for key, name in enumerate(names):
            lines.append(f'<key id="v{key}" for="node" attr.name={quoteattr(name)} attr.type="string"/>')
        lines.append('<key id="initial" for="node" attr.name="initial" attr.type="boolean"/>')
        lines.append('<key id="label" for="edge" attr.name="label" attr.type="string"/>')
        lines.append('<graph edgedefault="directed">')
        for number, state in enumerate(self.states):
            values = [(key, state[name]) for key, name in enumerate(names) if name in state]
            data = "".join(f'<data key="v{key}">{escape(str(value))}</data>' for key, value in values)
            first = "true" if number < self.initial else "false"
            lines.append(f'<node id="n{number}"><data key="initial">{first}</data>{data}</node>')
        for (source, target), label in zip(self.edges.tolist(), self.labels, strict=True):
            told = f'<data key="label">{escape(label)}</data>'
            lines.append(f'<edge source="n{source}" target="n{target}">{told}</edge>')
        return "\n".join([*lines, "</graph>", "</graphml>"]) + "\n"


def graph_of(model: Model, most: int) -> Graph:
    """Raises UsageError where the model has more states than `most`."""
    states = model.initial_states()
    states = list(dict.fromkeys(states))
    initial = len(states)
    numbers = {state.vector: number for number, state in enumerate(states)}
    waiting = deque(states)
    steps: list[tuple[int, int, Step]] = []
    while waiting:
        state = waiting.popleft()
        for step in model.successors(state):
            if step.after is None:
                continue
            vector = step.after.vector
            if vector not in numbers:
                if len(states) >= most:
                    raise UsageError(
                        f"the model has more than {most:,} states: say graph(most=…), or choose a smaller one"
                    )
                numbers[vector] = len(states)
                states.append(step.after)
                waiting.append(step.after)
            steps.append((numbers[state.vector], numbers[vector], step))
    return Graph(states, steps, initial)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
