"""The places where a model can fail, numbered."""

from __future__ import annotations

from ouroboros.source import Span
from ouroboros.system.expressions import Binary, Constant, Expression
from ouroboros.system.model import Failure, FailureKind


class Sites:
    """Collects failures; what fails in the same way at the same place is the same site."""

    def __init__(self) -> None:
        self._numbers: dict[Failure, int] = {}

    @property
    def failures(self) -> tuple[Failure, ...]:
        return tuple(self._numbers)

    def site(self, kind: FailureKind, message: str, span: Span | None) -> int:
        failure = Failure(kind, message, span)
        return self._numbers.setdefault(failure, len(self._numbers))


def failing(site: int) -> Expression:
    """An expression that has no value, and fails at a site."""
    return Binary("/", Constant(0), Constant(0), site)
