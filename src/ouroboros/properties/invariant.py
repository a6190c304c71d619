"""Invariants: expressions that hold in every state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ouroboros.driver.combinations import Refusal
from ouroboros.properties.kind import Kind, Option
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


class Invariants(Kind):
    makes = (Invariant,)
    options = (
        Option(
            "invariants",
            "--invariant",
            "EXPR",
            "An expression over the model's names that must hold in every state. Repeatable.",
        ),
    )

    def read(self, asking: Asking) -> Iterator[Invariant]:
        for text in asking.texts("invariants"):
            yield Invariant(asking.model.proposition(Source("--invariant", text)))
