"""The properties that a model brings along, each under a name that no other has."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, TypeVar

from ouroboros.properties.assertions import ASSERTIONS, deadlock_name
from ouroboros.system.model import NamedFormula, PropertyAutomaton, Query, ResponseProperty, System

Item = TypeVar("Item")

_Known = tuple[str, str]
"""A kind of property, and a name."""


class Brought(NamedTuple):
    invariants: dict[str, tuple[int, ...]]
    """The places among the system's assertions: a rule may have several instances."""
    automata: dict[str, PropertyAutomaton]
    formulas: dict[str, NamedFormula]
    responses: dict[str, ResponseProperty]
    queries: dict[str, Query]
    clashes: dict[str, tuple[str, ...]]
    """What several call themselves, and what they are called instead."""


def brought_by(system: System) -> Brought:
    """A name that several have is told apart by the kind of property, and if that is not enough by a number."""
    reserved = (ASSERTIONS, deadlock_name(system))
    titled: dict[tuple[str, object], list[int]] = {}
    for place, item in enumerate(system.assertions):
        if item.title is not None:
            titled.setdefault((item.title, item.span), []).append(place)
    own: list[_Known] = [
        *(("invariant", title) for title, _ in titled),
        *(("automaton", automaton.name) for automaton in system.automata),
        *(("ltl", formula.name) for formula in system.formulas),
        *(("response", response.name) for response in system.responses),
    ]
    queries = [query.name for query in system.queries]
    often = Counter([*(name for _, name in own), *queries, *reserved])
    together, seen = Counter(own), Counter[_Known]()
    names: list[str] = []
    clashes: dict[str, tuple[str, ...]] = {}
    for kind, name in own:
        seen[kind, name] += 1
        unique = name
        if often[name] > 1:
            number = f" ({seen[kind, name]})" if together[kind, name] > 1 else ""
            unique = f"{kind} {name}{number}"
            clashes[name] = (*clashes.get(name, ()), unique)
        names.append(unique)
    rest = iter(names)

    def named(items: tuple[Item, ...]) -> dict[str, Item]:
        return {next(rest): item for item in items}

    return Brought(
        named(tuple(map(tuple, titled.values()))),
        named(system.automata),
        named(system.formulas),
        named(system.responses),
        dict(zip(queries, system.queries, strict=True)),
        clashes,
    )
