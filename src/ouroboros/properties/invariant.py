"""Invariants: expressions that hold in every state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ouroboros.driver.combinations import Refusal
from ouroboros.properties.assertions import ASSERTIONS
from ouroboros.properties.brought import brought_by
from ouroboros.properties.kind import Kind, Known, Option, Property
from ouroboros.properties.states import StateProperty
from ouroboros.source import Source
from ouroboros.system.model import Proposition, System
from ouroboros.verdict.trace import Violation

if TYPE_CHECKING:
    from ouroboros.properties.asking import Asking

_DISTINGUISHES = Refusal(
    lambda run: run.symmetry,
    "--symmetry takes all elements of a scalarset to be alike, and a property tells them apart: it names one of"
    " them, or asks in an order that decides whether it can be evaluated",
)


class Invariant(StateProperty):
    def __init__(self, predicate: Proposition) -> None:
        self.name = predicate.name
        self._predicate = predicate
        self.refusals: Sequence[Refusal] = (_DISTINGUISHES,) if predicate.distinguishes else ()

    def required(self, system: System) -> tuple[Proposition, ...]:
        return (self._predicate,)

    def is_violated(self, violation: Violation) -> bool:
        return violation.proposition is self._predicate


class NamedInvariant(StateProperty):
    """One that the model has a name for; a rule may have made several of it."""

    def __init__(self, name: str, places: Sequence[int], system: System) -> None:
        self.name = name
        self._places = places
        self._asserted = self.required(system)

    def required(self, system: System) -> tuple[Proposition, ...]:
        return tuple(system.assertions[place] for place in self._places)

    def is_violated(self, violation: Violation) -> bool:
        return any(violation.proposition is each for each in self._asserted)


class Invariants(Kind):
    makes = (NamedInvariant, Invariant)
    options = (
        Option(
            "invariants",
            "--invariant",
            "EXPR",
            "An expression over the model's names that must hold in every state. Repeatable.",
        ),
    )

    def known(self, system: System) -> Iterator[Known]:
        for name, places in brought_by(system).invariants.items():
            span = system.assertions[places[0]].span
            instances = f", {len(places)} instances" if len(places) > 1 else ""
            yield Known(name, f"{' '.join(span.text.split()) if span else 'an invariant'}{instances}", "also")

    def read(self, asking: Asking) -> Iterator[Property]:
        for name, places in brought_by(asking.system).invariants.items():
            if name in asking.names or ASSERTIONS in asking.names:
                yield NamedInvariant(name, places, asking.system)
        for text in asking.texts("invariants"):
            yield Invariant(asking.model.proposition(Source("--invariant", text)))

    def along(self, asking: Asking) -> Iterator[Property]:
        """Like the other assertions: a name does not make an invariant one that need not hold. Whoever chooses some by
        their names leaves out the rest.
        """
        named = brought_by(asking.system).invariants
        if asking.of_states and asking.names.isdisjoint((ASSERTIONS, *named)):
            for name, places in named.items():
                yield NamedInvariant(name, places, asking.system)
