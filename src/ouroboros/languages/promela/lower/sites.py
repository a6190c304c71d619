"""The places where a model can fail, numbered, and those that may not mean what they seem to."""

from __future__ import annotations

from ouroboros.source import Span
from ouroboros.system.expressions import Binary, Constant, Expression
from ouroboros.system.model import Failure, FailureKind


class Sites:
    """Collects failures; what fails in the same way at the same place is the same site."""

    def __init__(self) -> None:
        self._numbers: dict[Failure, int] = {}
        self._warnings: dict[str, None] = {}

    @property
    def failures(self) -> tuple[Failure, ...]:
        return tuple(self._numbers)

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(self._warnings)

    def warn(self, message: str, span: Span) -> None:
        """Once, however often the same place is lowered."""
        self._warnings[f"{span}: {message}"] = None

    def site(self, kind: FailureKind, message: str, span: Span | None) -> int:
        failure = Failure(kind, message, span)
        return self._numbers.setdefault(failure, len(self._numbers))


def failing(site: int) -> Expression:
    """An expression that has no value, and fails at a site."""
    return Binary("/", Constant(0), Constant(0), site)
