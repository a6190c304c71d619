"""The steps of a nested depth-first search, as a kernel over a stack in arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ouroboros.engine.expansion import DEADLOCKS, FAILURES, OVERFLOWS, TRANSITIONS, Notes
from ouroboros.engine.jit import Width, address_of, array_at, inlined, inside, kernel, words_in
from ouroboros.engine.memory import WORD_BYTES, Ids, Words
from ouroboros.engine.product import expand_product
from ouroboros.engine.stores.keys import intern_keys

_expand_product = inside(expand_product)
_intern_keys = inside(intern_keys)

Marks = npt.NDArray[np.uint8]
Frames = npt.NDArray[np.int64]

CYAN, BLUE, _RED, ACCEPTING = np.uint8(1), np.uint8(2), np.uint8(4), np.uint8(8)

# What a call of the kernel ends with.
DONE, FOUND, NO_ROOM, CROWDED, _PAUSE = range(5)

# Control: frames on the stack, entries in the pool of successors, the frame of the red search's root (0: blue), the
# accepting state that was found (or why a state could not be expanded), the cyan state that closes its cycle, the
# deepest stack.
DEPTH, POOL, ROOT, RESULT, CLOSING, DEEPEST = range(6)

NOT_EXPANDED = (1, 0, 0)
"""A frame that starts behind its end."""

_ALL_BITS = np.uint64((1 << 64) - 1)


@inlined
def _push(stack: Ids, frames: Frames, control: npt.NDArray[np.int64], state: np.uint32) -> None:
    """Put a state on the stack, to be expanded."""
    frame = control[DEPTH]
    stack[frame] = state
    for k in range(3):
        frames[frame, k] = NOT_EXPANDED[k]
    control[DEPTH] = frame + 1
    control[DEEPEST] = max(control[DEEPEST], frame + 1)


@kernel(
    "Tuple((int64, int64))(int64, int64, int64, boolean, uint64[::1], int64, uint32[::1], int64, uint32, uint64[::1],"
    " uint32[::1], uint32[::1], uint64[::1], uint32[::1], uint32[::1], uint8[::1], int64, int64[:, ::1], uint64[::1],"
    " int64, int64[::1], uint8[::1], uint8[::1], uint32[::1], int64[:, ::1], uint32[::1], int64[::1], int64, int64,"
    " uint64, uint64, int64[::1], uint64[:, ::1], width)"
)
def make_steps(
    successors: int,
    valuation: int,
    most: int,
    extends: bool,
    vectors: Words,
    count: int,
    index: Ids,
    room: int,
    tag_mask: np.uint32,
    hashes: Words,
    slots: Ids,
    ids: Ids,
    out: Words,
    sources: Ids,
    labels: Ids,
    sites: Marks,
    endless: int,
    passage_frames: Frames,
    passed: Words,
    most_steps: int,
    notes: Notes,
    colours: Marks,
    accepting: Marks,
    stack: Ids,
    frames: Frames,
    pool: Ids,
    control: npt.NDArray[np.int64],
    steps: int,
    word: int,
    shift: int,
    mask: int,
    first_edges: npt.NDArray[np.int64],
    edges: Words,
    width: Width,
) -> tuple[int, int]:
    """Go on with the search for so many steps; returns why it stopped, and the number of states.

    frames[f] is where the successors of frame f start, go on and end in the pool; where the start is behind the end,
    the frame is not expanded yet.
    """
    words = int(words_in(width))
    stored = array_at(address_of(vectors, 0), vectors.size * WORD_BYTES, colours)
    while steps > 0 and control[DEPTH] > 0:
        steps -= 1
        frame = control[DEPTH] - 1
        state = stack[frame]
        if frames[frame, 0] > frames[frame, 2]:
            if count + most > room or control[POOL] + most > pool.size or frame + 2 > stack.size:
                return NO_ROOM, count
            start = np.int64(state) * words
            one = stack[frame : frame + 1]
            counted = notes[TRANSITIONS], notes[DEADLOCKS], notes[FAILURES], notes[OVERFLOWS]
            expanded, found = _expand_product(
                successors, valuation, most, extends, vectors[start : start + words], one, out, sources, labels, sites,
                endless, passage_frames, passed, most_steps, notes, word, shift, mask, first_edges, edges, width,
            )  # fmt: skip
            if expanded == 0:
                control[RESULT] = found
                return CROWDED, count
            if control[ROOT]:
                # The blue search was here before, and has counted it all.
                notes[TRANSITIONS], notes[DEADLOCKS], notes[FAILURES], notes[OVERFLOWS] = counted
            before = count
            _, count = _intern_keys(
                out, 0, found, stored, WORD_BYTES, 4 * WORD_BYTES, _ALL_BITS, words * WORD_BYTES, count,
                index, room, tag_mask, hashes, slots, ids, width,
            )  # fmt: skip
            for new in range(before, count):
                if accepting[(vectors[new * words + word] >> shift) & mask]:
                    colours[new] = ACCEPTING
            first = control[POOL]
            for k in range(found):
                pool[first + k] = ids[k]
            control[POOL] += found
            frames[frame, 0] = first
            frames[frame, 1] = first
            frames[frame, 2] = first + found
        elif frames[frame, 1] < frames[frame, 2]:
            target = pool[frames[frame, 1]]
            frames[frame, 1] += 1
            colour = colours[target]
            enter = False
            if control[ROOT]:
                if colour & CYAN:
                    control[RESULT] = stack[control[ROOT]]
                    control[CLOSING] = target
                    return FOUND, count
                if colour & _RED == 0:
                    colours[target] |= _RED
                    enter = True
            else:
                if colour & CYAN and (colours[state] | colour) & ACCEPTING:
                    control[RESULT] = state if colours[state] & ACCEPTING else target
                    control[CLOSING] = target
                    return FOUND, count
                if colour & (CYAN | BLUE) == 0:
                    colours[target] |= CYAN
                    enter = True
            if enter:
                _push(stack, frames, control, target)
        else:
            control[POOL] = frames[frame, 0]
            if control[ROOT] == 0 and colours[state] & ACCEPTING and colours[state] & _RED == 0:
                # The root stays on the stack twice: below as the cyan state that the red search may close on.
                colours[state] |= _RED
                control[ROOT] = control[DEPTH]
                _push(stack, frames, control, state)
                continue
            control[DEPTH] -= 1
            if control[ROOT] == 0:
                colours[state] = (colours[state] & ~CYAN) | BLUE
            elif control[ROOT] == frame:
                # The red search is over; the blue frame below it has no successors left and goes next.
                control[ROOT] = 0
    return (_PAUSE if control[DEPTH] > 0 else DONE), count
