"""How kernels make the steps of a system: its machine code, what its failures mean, and memory to work in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.jit import record
from ouroboros.memory import Ids, Words
from ouroboros.native import Program
from ouroboros.system.model import System

Marks = npt.NDArray[np.uint8]
Frames = npt.NDArray[np.int64]

# What a site of failure is: a violation; the end of a run that is no violation by itself; a lack of room in the layout;
# a step that is made, but whose state is dropped; a step that is not made at all.
FAULT, OVERFLOW, ROOM, DROPPED, DISABLED = (np.uint8(kind) for kind in range(5))
_KINDS = {"overflow": OVERFLOW, "room": ROOM, "dropped": DROPPED, "disabled": DISABLED}

CROWDED, STACK_FULL = -1, -2
"""Instead of a number of successors: there is no room for all of them, or for the way to one."""

_FIRST_DEPTH = 64


@record("int64, int64, boolean, int64, uint8[::1], uint32[::1], int64[:, ::1], uint64[::1]")
class Steps(NamedTuple):
    successors: int
    """The address of a program's successors."""
    most: int
    """That one step can have."""
    stuttering: bool
    """Whether a state that all steps lead back to is a deadlock."""
    endless: int
    """The site of a way through transient states that never ends."""
    sites: Marks
    """What each site of failure is."""
    labels: Ids
    """Of the successors that were asked for last."""
    frames: Frames
    """The stack of the way through transient states: in each frame the successors of one, and their labels."""
    passed: Words
    """The states in these frames."""


class Stepping:
    """Of one system. Buffers belong to one worker."""

    def __init__(self, system: System, program: Program) -> None:
        self.program = program
        self._stuttering = system.deadlock == "stuttering"
        self._endless = system.exclusive.endless if system.exclusive else 0
        self._sites = np.array([_KINDS.get(failure.kind, FAULT) for failure in system.failures] or [FAULT], np.uint8)
        self._use(_FIRST_DEPTH if system.exclusive else 0)

    def steps(self, ends: bool = True, again: bool = False) -> Steps:
        """`ends`: whether the model says what a deadlock is; `again`: without leaving out steps that are wanted.

        There is room for as many successors as the program says by now that there may be.
        """
        if self.program.most_successors > self.most:
            self._use(self._frames.shape[0])
        return Steps(
            self.program.more_successors if again else self.program.successors,
            self.most,
            ends and self._stuttering,
            self._endless,
            self._sites,
            self._labels,
            self._frames,
            self._passed,
        )

    def grow(self, reason: int) -> None:
        """After there was no room for the successors of one state, or for a way through so many transient ones."""
        self._use(2 * self._frames.shape[0] if reason == STACK_FULL else self._frames.shape[0])

    def _use(self, depth: int) -> None:
        self.most = max(1, self.program.most_successors)
        self._passed: Words = np.zeros(depth * self.most * self.program.words, np.uint64)
        self._labels: Ids = np.zeros(max(1, depth) * self.most, np.uint32)
        self._frames: Frames = np.zeros((depth, 2), np.int64)
