"""Steps through transient states: depth first from a state, until each way comes to a state that is to be stored.

Ways that meet are not joined: each is an edge of the graph, as in Spin. A way that comes back to a transient state that
it has passed would never end, and is a failure.
"""

from __future__ import annotations

import numpy as np

from ouroboros.graph.flags import ASSERTED, FAILURE, TRANSIENT
from ouroboros.graph.notes import Notes, note_fired
from ouroboros.graph.stepping import STACK_FULL, Frames, Steps
from ouroboros.jit import address_of, call_successors, inlined
from ouroboros.memory import Words

_NONE = np.uint64(0)

_END = -1
"""Instead of a frame."""

# Columns of a frame: the entry that comes next, and how many there are.
_NEXT, _COUNT = 0, 1


@inlined
def enter(found: int, out: Words, at: int, words: int, steps: Steps) -> None:
    """Begin with so many successors, from word `at` on, in the first frame."""
    for k in range(found * words):
        steps.passed[k] = out[at + k]
    steps.frames[0, _NEXT] = 0
    steps.frames[0, _COUNT] = found


@inlined
def current(frames: Frames) -> int:
    """The entry of the first frame that the way goes through."""
    return int(frames[0, _NEXT] - 1)


@inlined
def go_on(steps: Steps, depth: int, words: int, notes: Notes) -> tuple[int, int, bool]:
    """The frame and the number, among all frames, of the next entry that is no transient state, and whether an
    assertion failed on the way to it. An entry that would never end is given as it is, with its transient label.
    """
    most, labels, frames = steps.most, steps.labels, steps.frames
    asserted = False
    while depth >= 0:
        if frames[depth, _NEXT] == frames[depth, _COUNT]:
            depth -= 1
            continue
        entry = depth * most + frames[depth, _NEXT]
        frames[depth, _NEXT] += 1
        if labels[entry] & TRANSIENT == 0 or _was_passed(depth, most, words, steps.passed, frames, entry):
            return depth, entry, asserted
        asserted = asserted or labels[entry] & ASSERTED != 0
        depth += 1
        if depth == frames.shape[0]:
            return STACK_FULL, 0, asserted
        frames[depth, _NEXT] = 0
        frames[depth, _COUNT] = call_successors(
            steps.successors,
            address_of(steps.passed, entry * words),
            address_of(steps.passed, depth * most * words),
            address_of(labels, depth * most),
        )
        if frames[depth, _COUNT] < 0:
            return STACK_FULL, 0, asserted
        for k in range(depth * most, depth * most + frames[depth, _COUNT]):
            if labels[k] & FAILURE == 0:
                note_fired(notes, labels[k])
    return _END, 0, asserted


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
