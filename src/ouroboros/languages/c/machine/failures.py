"""What can go wrong in a step, and where."""

from __future__ import annotations

from typing import NamedTuple

ASSERTION, NULL, WILD, BOUNDS, FREED, INVALID_FREE, DOUBLE_FREE, CONSTANT, MISALIGNED = range(1, 10)
OVERFLOW, DIVISION, SHIFT, UNREACHABLE, ENDLESS, WIDE_CHOICE, THREADS, STACK, HEAP_ROOM = range(10, 19)
LOCKS, EXCEPTION, BAD_CALL, ERROR_FUNCTION, ABORTED, UNSUPPORTED, UNINITIALISED = range(19, 26)
DROPPED_KIND, DISABLED_KIND = -1, -2
"""No failures: an assumption is false; the step cannot be made."""

MESSAGES = {
    ASSERTION: "an assertion is false",
    NULL: "access through a null pointer",
    WILD: "access through a pointer to no object",
    BOUNDS: "access out of bounds",
    FREED: "access to memory that is gone",
    INVALID_FREE: "free of what was never allocated",
    DOUBLE_FREE: "free of memory that was freed already",
    CONSTANT: "a constant is written to",
    MISALIGNED: "a misaligned access",
    OVERFLOW: "a signed integer overflows",
    DIVISION: "division by zero",
    SHIFT: "a shift by a negative number or by too many bits",
    UNREACHABLE: "a place that cannot be reached was reached",
    ENDLESS: "a loop without a visible action does not end",
    WIDE_CHOICE: "a choice of more than 65,536 values: give a range",
    THREADS: "more threads than there is room for",
    STACK: "calls nest deeper than there is room for",
    HEAP_ROOM: "more memory is allocated than there is room for",
    LOCKS: "a lock is misused",
    EXCEPTION: "an exception is not caught",
    BAD_CALL: "a call of what is no such function",
    ERROR_FUNCTION: "the error function is called",
    ABORTED: "abort is called",
    UNSUPPORTED: "something that is not supported is reached",
    UNINITIALISED: "an uninitialised value is read",
}

ROOM_KINDS = frozenset({THREADS, STACK, HEAP_ROOM})
"""Of which there can be more, with more room."""
HOPELESS_KINDS = frozenset({ENDLESS, WIDE_CHOICE, UNSUPPORTED})
"""Where no room helps: what would come after is left out."""
UNKNOWN_KINDS = ROOM_KINDS | HOPELESS_KINDS
"""Which say nothing of the program."""

ACCESS_KINDS = (NULL, WILD, BOUNDS, FREED, CONSTANT)
"""What the search for an object can find wrong."""


class Failure(NamedTuple):
    """One thing that can go wrong at one instruction."""

    kind: int
    function: str
    label: str
    number: int
    """Of the instruction in its block."""
    text: str = ""


class Failures:
    """All of a program, by number."""

    def __init__(self) -> None:
        self.known: list[Failure] = []
        self._numbers: dict[Failure, int] = {}

    def number(self, failure: Failure) -> int:
        """The number of a failure, a new one if it was not known."""
        known = self._numbers.get(failure)
        if known is None:
            known = self._numbers[failure] = len(self.known)
            self.known.append(failure)
        return known
