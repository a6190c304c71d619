"""The steps of a nested depth-first search, as a kernel over a stack in arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.engine.stores.keys import Table, intern_keys
from ouroboros.graph.automaton import location_in
from ouroboros.graph.notes import Notes, counted, take_back
from ouroboros.graph.product import Product, expand_product
from ouroboros.graph.protocol import Batch
from ouroboros.graph.stepping import Frames, Marks
from ouroboros.jit import Width, address_of, array_at, inlined, inside, kernel, record, words_in
from ouroboros.memory import WORD_BYTES, Ids, Words

_expand_product = inside(expand_product)
_intern_keys = inside(intern_keys)

Control = npt.NDArray[np.int64]

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
def _push(stack: Ids, frames: Frames, control: Control, state: np.uint32) -> None:
    """Put a state on the stack, to be expanded."""
    frame = control[DEPTH]
    stack[frame] = state
    for k in range(3):
        frames[frame, k] = NOT_EXPANDED[k]
    control[DEPTH] = frame + 1
    control[DEEPEST] = max(control[DEEPEST], frame + 1)


@record("uint64[::1], uint32[::1], uint32[::1], int64[::1]")
class Found(NamedTuple):
    """What the expansion of a state gives."""

    out: Words
    """Its successors."""
    sources: Ids
    ids: Ids
    """Of the successors, in the table."""
    notes: Notes


@record("uint8[::1], uint32[::1], int64[:, ::1], uint32[::1], int64[::1]")
class Nest(NamedTuple):
    """The two searches: the colours of the states, the stack with its frames, the pool of successors, and control."""

    colours: Marks
    stack: Ids
    frames: Frames
    pool: Ids
    control: Control


@kernel("Tuple((int64, int64))(Product, Table, Found, Nest, int64, int64, int64, width)")
def make_steps(
    product: Product, table: Table, found_here: Found, nest: Nest, count: int, room: int, steps: int, width: Width
) -> tuple[int, int]:
    """Go on with the search for so many steps; returns why it stopped, and the number of states.

    frames[f] is where the successors of frame f start, go on and end in the pool; where the start is behind the end,
    the frame is not expanded yet.
    """
    words = int(words_in(width))
    colours, stack, frames, pool, control = nest
    out, sources, ids, notes = found_here
    vectors = array_at(address_of(table.stored, 0), table.stored.size // WORD_BYTES, out)
    # The numbers are known when this is compiled, which makes it faster.
    whole = Table(
        table.stored, np.uint64(WORD_BYTES), np.uint64(4 * WORD_BYTES), _ALL_BITS, np.uint64(words * WORD_BYTES),
        table.entries, table.tag_mask, table.hashes, table.found,
    )  # fmt: skip
    beside = product.beside
    while steps > 0 and control[DEPTH] > 0:
        steps -= 1
        frame = control[DEPTH] - 1
        state = stack[frame]
        if frames[frame, 0] > frames[frame, 2]:
            most = product.most
            if count + most > room or control[POOL] + most > pool.size or frame + 2 > stack.size:
                return NO_ROOM, count
            start = np.int64(state) * words
            one = stack[frame : frame + 1]
            before = counted(notes)
            batch = Batch(vectors[start : start + words], one, out, sources, notes)
            expanded, found = _expand_product(product, batch, width)
            if expanded == 0:
                control[RESULT] = found
                return CROWDED, count
            if control[ROOT]:
                # The blue search was here before, and has counted it all.
                take_back(notes, before)
            known = count
            _, count = _intern_keys(out, 0, found, whole, count, room, ids, width)
            for new in range(known, count):
                if beside.accepting[location_in(vectors, new * words, beside)]:
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
