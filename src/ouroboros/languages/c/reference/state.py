"""States of a program as values that can be compared."""

from __future__ import annotations

from typing import NamedTuple

from ouroboros.languages.c.reference.failure import Site
from ouroboros.languages.c.reference.memory import Register


class FrameState(NamedTuple):
    site: Site
    """Where it stands: at the first instruction of a cut, or at a call that has not returned."""
    registers: tuple[Register, ...]
    """Those that are alive, in the order of the cut, or of the call."""
    objects: tuple[bytes | None, ...]
    """The variables of the function that are in memory; None: its scope has ended."""


class ThreadState(NamedTuple):
    depth: int
    """Of atomic sections."""
    frames: tuple[FrameState, ...]
    """From the bottom up."""


class HeapObject(NamedTuple):
    size: int
    data: bytes | None
    """None: it was freed."""
    scratch: bool = False
    """Whether it need not be freed."""


class State(NamedTuple):
    over: int
    """The exit code and one more; 0 while the program runs."""
    atomic: int
    """The thread that is in an atomic section, and one more; 0: none."""
    variables: tuple[bytes, ...]
    """Those that can change, in the order of the module."""
    threads: tuple[ThreadState | None, ...]
    heap: tuple[HeapObject, ...]
    leaked: bool = False
    """Whether the last step lost memory that was not freed, where that is asked for."""


class Outcome(NamedTuple):
    """What a step of a thread comes to."""

    slot: int
    choice: int
    kind: str
    """step, dropped, omitted or failed."""
    state: State | None
    failure: tuple[int, str, Site] | None
    """Kind, text and place."""
    output: str
    """What was printed."""
