"""What a run may use, and what it reports while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from ouroboros.jit.clock import now

_INTERRUPTED = 1 << 20


class Interrupt:
    """A wish to stop, which every worker looks at between two rounds."""

    def __init__(self) -> None:
        self.asked = False


class Clock:
    """Stands at zero until the first search starts."""

    def __init__(self) -> None:
        self._started: float | None = None

    def start(self) -> None:
        """Whoever searches starts it; only the first time counts."""
        if self._started is None:
            self._started = now()

    @property
    def runs(self) -> bool:
        return self._started is not None

    @property
    def seconds(self) -> float:
        return 0.0 if self._started is None else now() - self._started


class Stages(Protocol):
    """Who is told what is done where nothing is counted."""

    def __call__(self, doing: str, limited: bool = True, /) -> AbstractContextManager[None]:
        """If it is `limited`, it may end in OutOfTime; what was found is confirmed and told, however long it takes."""


def unheard(doing: str, limited: bool = True, /) -> AbstractContextManager[None]:
    return nullcontext()


def ending(weights: int) -> Literal["time", "interrupted"]:
    """Why to stop, from the sum of what `Limits.expired` is for each worker."""
    return "interrupted" if weights >= _INTERRUPTED else "time"


@dataclass(frozen=True)
class Limits:
    """Where a run gives up; None means never."""

    memory: int | None = None
    """Bytes, of all workers on this machine together; None: what the machine can spare."""
    seconds: float | None = None
    states: int | None = None
    scratch: str | None = None
    """The directory for states that wait and do not fit into memory; None: that of the system."""
    started: float = field(default_factory=time.monotonic)
    """When the run did, which is more than its searches."""
    interrupt: Interrupt | None = None

    clock: Clock = field(default_factory=Clock)
    """Of all searches of the run together."""
    stage: Stages = unheard

    @property
    def out_of_time(self) -> bool:
        return self.seconds is not None and self.clock.seconds > self.seconds

    @property
    def expired(self) -> int:
        """Zero as long as the search may go on; what a worker adds to the sum over all workers."""
        return _INTERRUPTED if self.interrupt and self.interrupt.asked else int(self.out_of_time)


@dataclass(frozen=True)
class Progress:
    """A moment of a running search, over all workers."""

    phase: str
    states: int
    transitions: int
    frontier: int
    depth: int
    bytes: int


Observer: TypeAlias = Callable[[Progress], None]
