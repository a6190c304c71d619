"""Graphs for the page to draw: of states, of the control flow of processes, and of a formula's automaton."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from hashlib import sha256

from ouroboros.errors import InputError
from ouroboros.languages import Model
from ouroboros.ltl.automaton import Automaton
from ouroboros.ltl.output import guard_text
from ouroboros.properties.formulas.reading import from_formula
from ouroboros.simulation.simulation import run_of
from ouroboros.source import Source, Span
from ouroboros.system.blocks import Assign
from ouroboros.system.choices import All, Choice, Do, First, Switch, When
from ouroboros.system.expressions import Constant
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import System
from ouroboros.trace.text import head_of, initial_state
from ouroboros.web.told import Data, place_fields
from ouroboros.web.walks import Path, Walks, Watch

MOST_STATES = 300


def state_graph(walks: Walks, start: Path | None, most: int, group: str | None, process: str | None) -> Data:
    """The states that are nearest to the end of a path, or to the initial states; those whose successors are not all
    shown are marked as open. They are grouped by the value of an expression, or by where a process is."""
    watch = Watch(walks.model, group) if group else None
    if watch:
        watch.confirm()
    origins: dict[Path, Vector] = (
        {start: walks.state(start)} if start else {(at,): state for at, state in enumerate(walks.model.system.initial)}
    )
    system = walks.model.system
    place = place_fields(system).get(process) if process else None
    if process and place is None:
        raise InputError(f"the model has no process {process} with places")
    numbers: dict[Vector, int] = {}
    nodes: list[Data] = []
    edges: list[Data] = []
    waiting: deque[tuple[Vector, Path]] = deque()

    def grouped(state: Vector) -> str | None:
        if place is not None:
            return place.show(system.layout.read(state, place))
        if watch is None:
            return None
        shown = watch.value(system, state)
        return str(shown["error"] or shown["value"])

    def number(state: Vector, path: Path) -> int | None:
        if state not in numbers:
            if len(numbers) >= most:
                return None
            numbers[state] = len(numbers)
            nodes.append(
                {
                    "key": _key(state),
                    "path": list(path),
                    "label": [f"{name} {text}".strip() for name, text in initial_state(run_of(system, state))],
                    "group": grouped(state),
                    "initial": start is None and len(path) == 1,
                    "open": False,
                    "end": False,
                }
            )
            waiting.append((state, path))
        return numbers[state]

    for path, origin in origins.items():
        number(origin, path)
    while waiting:
        state, path = waiting.popleft()
        at = numbers[state]
        steps = walks.steps(state)
        nodes[at]["end"] = not steps
        for choice, step in enumerate(steps):
            run = run_of(system, state, [step])
            head = head_of(run, run.steps[0])
            target = None if step.state is None else number(step.state, (*path, choice))
            if step.state is not None and target is None:
                nodes[at]["open"] = True
                continue
            failure = system.failures[step.failure].message if step.failure is not None else None
            label = f"{head.processes}  {head.statement}".strip()
            edges.append({"from": at, "to": target, "label": label, "fails": failure if target is None else None})
    return {"nodes": nodes, "edges": edges, "complete": not any(node["open"] for node in nodes)}


def keys_along(walks: Walks, path: Path) -> list[str]:
    """The states of a path as `state_graph` names them."""
    ends = range(1, len(path) + 1)
    return [_key(walks.state(path[:end])) for end in ends]


def _key(state: Vector) -> str:
    """A name for a state that another request knows it by."""
    return sha256(repr(state).encode()).hexdigest()[:16]


def control_flow(system: System) -> list[Data]:
    """For each process its places and the statements between them, as far as the model has places."""
    places = place_fields(system)
    edges: dict[str, dict[tuple[int, int | None, str], Data]] = {name: {} for name in places}
    for action, at in _leaves(system.choices, {}):
        parts = system.actions[action].parts
        for part in parts:
            place = places.get(part.process)
            if place is None or place not in at:
                continue
            target = _assigned(system, action, place)
            key = (at[place], at[place] if target is None else target, part.text)
            edges[part.process][key] = {
                "from": at[place],
                "to": key[1],
                "label": " ".join(part.text.split()),
                "line": part.span.line if part.span and part.span.source is system.source else None,
            }
    return [
        {
            "process": process,
            "initial": system.layout.read(system.initial[0], place),
            "names": {value: place.show(value) for edge in found.values() for value in (edge["from"], edge["to"])},
            "edges": list(found.values()),
        }
        for process, place in places.items()
        if (found := edges[process])
    ]


def _leaves(choice: Choice, at: dict[Field, int]) -> Iterator[tuple[int, dict[Field, int]]]:
    """Every action, with the values that fields must have for it to be looked at."""
    match choice:
        case Do(action):
            yield action, at
        case All(children) | First(children):
            for child in children:
                yield from _leaves(child, at)
        case Switch(field, cases):
            for value, child in cases:
                yield from _leaves(child, {**at, field: value})
        case When(_, child):
            yield from _leaves(child, at)


def _assigned(system: System, action: int, place: Field) -> int | None:
    """The place that an action leads to, where that is always the same."""
    found: set[int | None] = set()
    waiting: list[object] = [system.actions[action].effect]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Assign) and part.field is place:
            found.add(part.value.value if isinstance(part.value, Constant) else None)
        elif isinstance(part, tuple):
            waiting += part
    return found.pop() if len(found) == 1 else None


def formula_graph(model: Model, text: str) -> Data:
    """The automaton of a formula's negation, which a search runs beside the model; raises InputError with the place in
    the text."""
    watched = from_formula(model, Span(Source("formula", text), 0, len(text)))
    return automaton_graph(watched.automaton)


def automaton_graph(automaton: Automaton) -> Data:
    return {
        "initial": automaton.initial,
        "accepting": [state for state, accepts in enumerate(automaton.accepting) if accepts],
        "states": automaton.states,
        "strength": automaton.strength,
        "edges": [
            {"from": state, "to": edge.target, "label": guard_text(automaton, edge)}
            for state, edges in enumerate(automaton.edges)
            for edge in edges
        ],
    }
