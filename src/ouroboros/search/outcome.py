"""What a search returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ouroboros.engine.limits import LimitName
from ouroboros.system.layout import Vector


@dataclass(frozen=True)
class Statistics:
    """Numbers of a search, over all workers."""

    states: int
    transitions: int
    deadlocks: int
    failures: int
    depth: int
    """Steps from the initial states to the farthest state that was found."""
    bytes: int
    """Memory of tables, arrays and buffers."""
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class Finding:
    """Why a property is violated: a shortest path to a state where …"""

    kind: Literal["proposition", "deadlock", "failure"]
    """… a required proposition is false; … nothing can happen; … an action fails."""
    path: list[Vector]


@dataclass(frozen=True)
class Outcome:
    statistics: Statistics
    finding: Finding | None = None
    limit: LimitName | None = None
    """The limit that ended the search before it was complete."""
