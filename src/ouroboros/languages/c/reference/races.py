"""Data races of a state, by the definition: two threads whose next steps go to the same memory, where one writes, and
not both are atomic.

What comes next of a thread is the first access of its next step, or, where the step begins an atomic section, whatever
the section does. What the library does in sections of its own is how threads synchronise.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from ouroboros.languages.c.reference.failure import Blocked, Dropped, Failed
from ouroboros.languages.c.reference.interpreter import Reference
from ouroboros.languages.c.reference.run import Access, Run
from ouroboros.languages.c.reference.state import State


class Race(NamedTuple):
    one: Access
    other: Access


def race_in(reference: Reference, state: State) -> Race | None:
    """The first race of a state: threads in order."""
    following = {slot: _next(reference, state, slot) for slot, each in enumerate(state.threads) if each is not None}
    for slot, other in combinations(following, 2):
        for one in following[slot]:
            for two in following[other]:
                if _is_race(one, two):
                    return Race(one, two)
    return None


def _is_race(one: Access, other: Access) -> bool:
    overlap = one.pointer < other.pointer + other.size and other.pointer < one.pointer + one.size
    return overlap and (one.writes or other.writes) and not (one.atomic and other.atomic)


def _next(reference: Reference, state: State, slot: int) -> list[Access]:
    """What a thread does to memory next."""
    choice, ways = 0, 1
    found: list[Access] = []
    while choice < ways:
        run = reference.resumed(state, choice)
        made: list[Access] = []
        run.accesses = made
        _make(run, slot)
        if made and not made[0].inside:
            first = made[0].instruction
            return [each for each in made if each.instruction is first]
        found += [each for each in made if each.inside]
        choice, ways = choice + 1, run.ways
    return found


def _make(run: Run, slot: int) -> None:
    thread = run.threads[slot]
    assert thread is not None
    try:
        run.first(thread)
    except (Blocked, Dropped, Failed):
        # Whatever comes of the step: what it did before was done.
        return
