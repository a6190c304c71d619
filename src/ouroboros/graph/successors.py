"""The successors of a state, in kernels: what becomes of steps that fail, that an assertion fails in, that stutter, or
that lead through transient states.
"""

from __future__ import annotations

import numpy as np

from ouroboros.graph.flags import ASSERTED, FAILURE, REDUCED, SPECIAL, TRANSIENT
from ouroboros.graph.notes import (
    ASSERTED_AT,
    DEADLOCK_AT,
    DEADLOCKS,
    FAILURE_AT,
    FAILURES,
    OVERFLOW_AT,
    OVERFLOWS,
    ROOM_SITE,
    TRANSITIONS,
    Notes,
    first_note,
    note_fired,
)
from ouroboros.graph.stepping import CROWDED, DISABLED, DROPPED, OVERFLOW, ROOM, STACK_FULL, Steps
from ouroboros.graph.transient import enter, go_on
from ouroboros.jit import address_of, call_successors, inlined, load_word, pasted
from ouroboros.memory import Words


@inlined
def note_failure(notes: Notes, kind: np.uint8, site: int, identifier: np.uint32) -> bool:
    """Note what there is instead of a state; False where there was no step at all."""
    if kind == DISABLED:
        return False
    notes[TRANSITIONS] += 1
    if kind == ROOM:
        notes[ROOM_SITE] = site
    elif kind != DROPPED:
        notes[OVERFLOWS if kind == OVERFLOW else FAILURES] += 1
        first_note(notes, OVERFLOW_AT if kind == OVERFLOW else FAILURE_AT, identifier)
    return True


@inlined
def note_deadlock(notes: Notes, identifier: np.uint32) -> None:
    notes[DEADLOCKS] += 1
    first_note(notes, DEADLOCK_AT, identifier)


@inlined
def _all_equal(out: Words, at: int, count: int, words: int, state: int) -> bool:
    """Whether `count` vectors from word `at` on are all the same as the one at an address."""
    for k in range(count):
        for w in range(words):
            if out[at + k * words + w] != load_word(state, w):
                return False
    return True


@pasted
def successors_of(
    steps: Steps, state: int, out: Words, at: int, room: int, words: int, identifier: np.uint32, notes: Notes
) -> int:
    """Write the successors of a state to `out` from word `at` on, but not those of failing actions; return how many.

    A state without any is a deadlock; where that is stuttering, also one that all its steps lead back to. There must be
    room for as many as one step can have; if there is none for all, gives CROWDED or STACK_FULL.
    """
    labels = steps.labels
    found = int(call_successors(steps.successors, state, address_of(out, at), address_of(labels, 0)))
    flags = np.uint32(0)
    for k in range(found):
        flags |= labels[k]
    if (flags & SPECIAL) | np.uint32(found == 0) | np.uint32(steps.stuttering):
        # Seldom, and so a call: handing over all of these arrays takes longer than to make the steps.
        found = _sort_out(steps, state, out, at, room, words, identifier, notes, found, flags)
    else:
        for k in range(found):
            note_fired(notes, labels[k])
    return found


@inlined
def _sort_out(
    steps: Steps,
    state: int,
    out: Words,
    at: int,
    room: int,
    words: int,
    identifier: np.uint32,
    notes: Notes,
    found: int,
    flags: np.uint32,
) -> int:
    """What becomes of so many steps, of which not all lead to a state that is to be stored."""
    if found < 0:
        return CROWDED
    labels = steps.labels
    for k in range(found):
        if labels[k] & FAILURE == 0:
            note_fired(notes, labels[k])
    if flags & TRANSIENT:
        enter(found, out, at, words, steps)
        return _pass_on(steps, state, out, at, room, words, identifier, notes)
    kept = found
    leads_on = False
    if flags & SPECIAL:
        kept = 0
        for k in range(found):
            if labels[k] & FAILURE:
                site = out[at + k * words]
                if note_failure(notes, steps.sites[site], site, identifier):
                    note_fired(notes, labels[k])
                    leads_on = True
                continue
            if labels[k] & ASSERTED:
                first_note(notes, ASSERTED_AT, identifier)
            for w in range(words):
                out[at + kept * words + w] = out[at + k * words + w]
            kept += 1
    # Where steps were left out, nothing is known of all of them yet.
    stuttering = steps.stuttering and flags & REDUCED == 0
    if not leads_on and (kept == 0 or (stuttering and _all_equal(out, at, kept, words, state))):
        note_deadlock(notes, identifier)
    return kept


@inlined
def _pass_on(
    steps: Steps, state: int, out: Words, at: int, room: int, words: int, identifier: np.uint32, notes: Notes
) -> int:
    """Go through transient states, from those in the first frame on."""
    labels, passed = steps.labels, steps.passed
    kept = 0
    failed = 0
    depth = 0
    while True:
        depth, entry, asserted = go_on(steps, depth, words, notes)
        if asserted:
            first_note(notes, ASSERTED_AT, identifier)
        if depth < 0:
            break
        if labels[entry] & TRANSIENT:
            failed += note_failure(notes, steps.sites[steps.endless], steps.endless, identifier)
        elif labels[entry] & FAILURE:
            site = passed[entry * words]
            failed += note_failure(notes, steps.sites[site], site, identifier)
        else:
            if labels[entry] & ASSERTED:
                first_note(notes, ASSERTED_AT, identifier)
            if kept == room:
                return CROWDED
            for w in range(words):
                out[at + kept * words + w] = passed[entry * words + w]
            kept += 1
    if depth == STACK_FULL:
        return STACK_FULL
    stuttering = steps.stuttering and labels[0] & REDUCED == 0
    if failed == 0 and (kept == 0 or (stuttering and _all_equal(out, at, kept, words, state))):
        note_deadlock(notes, identifier)
    return kept
