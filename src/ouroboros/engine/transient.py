"""Steps through transient states: depth first from a state, until each way comes to a state that is to be stored.

Ways that meet are not joined: each is an edge of the graph, as in Spin. A way that comes back to a transient state that
it has passed would never end, and is a failure.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ouroboros.engine.fired import note_fired
from ouroboros.engine.jit import address_of, call_successors, inlined
from ouroboros.engine.memory import Ids, Words
from ouroboros.native import ASSERTED, FAILURE, TRANSIENT, Program

_TRANSIENT = np.uint32(TRANSIENT)
_ASSERTED = np.uint32(ASSERTED)
_FAILURE = np.uint32(FAILURE)
_NONE = np.uint64(0)

# Instead of a frame.
END, STACK_FULL = -1, -2

# Columns of a frame: the entry that comes next, and how many there are.
_NEXT, _COUNT = 0, 1

Frames = npt.NDArray[np.int64]


class Passage:
    """The stack of the search through transient states: in each frame the successors of one state, and their labels."""

    def __init__(self, program: Program, depth: int) -> None:
        self._program = program
        self._use(depth)

    def grow(self, reason: int) -> None:
        """After there was no room for the successors of one state, or for a way through so many transient ones."""
        self._use(2 * self.frames.shape[0] if reason == STACK_FULL else self.frames.shape[0])

    def _use(self, depth: int) -> None:
        self.most = max(1, self._program.most_successors)
        """Successors that there is room for in a frame."""
        self.vectors: Words = np.zeros(depth * self.most * self._program.words, np.uint64)
        self.labels: Ids = np.zeros(max(1, depth) * self.most, np.uint32)
        self.frames: Frames = np.zeros((depth, 2), np.int64)


@inlined
def enter(found: int, frames: Frames) -> None:
    """Begin with so many successors in the first frame."""
    frames[0, _NEXT] = 0
    frames[0, _COUNT] = found


@inlined
def current(frames: Frames) -> int:
    """The entry of the first frame that the way goes through."""
    return int(frames[0, _NEXT] - 1)


@inlined
def go_on(
    successors: int,
    depth: int,
    most: int,
    words: int,
    vectors: Words,
    labels: Ids,
    frames: Frames,
    notes: npt.NDArray[np.int64],
) -> tuple[int, int, bool]:
    """The frame and the number, among all frames, of the next entry that is no transient state, and whether an
    assertion failed on the way to it. An entry that would never end is given as it is, with its transient label.
    """
    asserted = False
    while depth >= 0:
        if frames[depth, _NEXT] == frames[depth, _COUNT]:
            depth -= 1
            continue
        entry = depth * most + frames[depth, _NEXT]
        frames[depth, _NEXT] += 1
        if labels[entry] & _TRANSIENT == 0 or _was_passed(depth, most, words, vectors, frames, entry):
            return depth, entry, asserted
        asserted = asserted or labels[entry] & _ASSERTED != 0
        depth += 1
        if depth == frames.shape[0]:
            return STACK_FULL, 0, asserted
        frames[depth, _NEXT] = 0
        frames[depth, _COUNT] = call_successors(
            successors,
            address_of(vectors, entry * words),
            address_of(vectors, depth * most * words),
            address_of(labels, depth * most),
        )
        if frames[depth, _COUNT] < 0:
            return STACK_FULL, 0, asserted
        for k in range(depth * most, depth * most + frames[depth, _COUNT]):
            if labels[k] & _FAILURE == 0:
                note_fired(notes, labels[k])
    return END, 0, asserted


@inlined
def _was_passed(depth: int, most: int, words: int, vectors: Words, frames: Frames, entry: int) -> bool:
    """Whether an entry of the last frame is one of the states that the way to it leads through."""
    for frame in range(depth):
        passed = frame * most + frames[frame, _NEXT] - 1
        difference = _NONE
        for w in range(words):
            difference |= vectors[passed * words + w] ^ vectors[entry * words + w]
        if difference == _NONE:
            return True
    return False
