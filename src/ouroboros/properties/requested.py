"""Properties of states that are only looked for on request, for they need a system that tells more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ouroboros.languages import RequestedModel
from ouroboros.properties.kind import Kind, Known, Property
from ouroboros.properties.states import StateProperty
from ouroboros.system.model import Proposition, System
from ouroboros.verdict.trace import Violation

if TYPE_CHECKING:
    from ouroboros.properties.asking import Asking


class Requested(StateProperty):
    def __init__(self, name: str, predicate: Proposition) -> None:
        self.name = name
        self._predicate = predicate

    def required(self, system: System) -> tuple[Proposition, ...]:
        return (self._predicate,)

    def is_violated(self, violation: Violation) -> bool:
        return violation.proposition is self._predicate


class OnRequests(Kind):
    makes = (Requested,)

    def known(self, system: System) -> Iterator[Known]:
        for each in system.on_request:
            yield Known(each.name, each.meaning)

    def read(self, asking: Asking) -> Iterator[Property]:
        for each in asking.system.on_request:
            if each.name in asking.names:
                assert isinstance(asking.model, RequestedModel)
                yield Requested(each.name, asking.model.requested(each.name))
