"""What became of what a model expects."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """One expectation, and what was found."""

    model: str
    line: int
    """Where the model says what to expect."""
    asked: str
    """The command, without the model."""
    expected: str
    found: str | None
    """What was found instead; None where it is as expected."""
    seconds: float
    """Of the command; where it answers several expectations, the first has them all."""
    cached: bool = False
    """Whether it is known from an earlier run that nothing has changed since."""
