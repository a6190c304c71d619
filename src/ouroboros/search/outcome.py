"""What a search returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ouroboros.engine.limits import LimitName
from ouroboros.system.layout import Vector


@dataclass(frozen=True)
class Statistics:
    """Numbers of a search, over all workers."""

    states: int = 0
    transitions: int = 0
    deadlocks: int = 0
    failures: int = 0
    depth: int = 0
    """Steps from the initial states to the farthest state that was found."""
    bytes: int = 0
    """Memory of tables, arrays and buffers."""
    seconds: float = 0.0
    cpu_seconds: float = 0.0


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
