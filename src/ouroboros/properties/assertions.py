"""Assertions, and where runs may end.

A step that goes wrong violates the assertions as well. Where deadlocks are looked for, a value that overflows its
variable is one: the run ends there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ouroboros.properties.kind import Kind, Known, Property
from ouroboros.properties.states import StateProperty
from ouroboros.system.model import ASSUMPTIONS, Deadlock, Proposition, System
from ouroboros.verdict.trace import Violation

if TYPE_CHECKING:
    from ouroboros.properties.asking import Asking

ASSERTIONS = "assertions"
DEADLOCK = "deadlock"
END_STATES = "end-states"
_DEADLOCKS = {
    "stuck": "some step is always possible, and no value overflows its variable",
    "stuttering": "some step that leads to another state is always possible",
}


def deadlock_name(system: System) -> str:
    """What the property is called that is about the ends of runs."""
    return DEADLOCK if system.valid_end is None else END_STATES


def under(system: System, deadlock: Deadlock | Literal["off"] | None) -> System:
    """The system with another meaning of deadlock, if the user gave one."""
    return system if deadlock is None or deadlock == "off" else replace(system, deadlock=deadlock)


class Assertion(StateProperty):
    """All that the model asserts of its states and steps, but for what it gives a name."""

    name = ASSERTIONS

    def __init__(self, system: System) -> None:
        self._asserted = self.required(system)
        self.idle = not self._asserted and not _can_fail(system)
        self.fails = _can_fail(system)

    def required(self, system: System) -> tuple[Proposition, ...]:
        return tuple(predicate for predicate in system.assertions if predicate.title is None)

    def is_violated(self, violation: Violation) -> bool:
        return violation.kind == "failure" or any(violation.proposition is each for each in self._asserted)


class Ends(StateProperty):
    """No run ends where it may not."""

    deadlock = True

    def __init__(self, system: System) -> None:
        self.name = deadlock_name(system)

    def is_violated(self, violation: Violation) -> bool:
        return violation.kind in ("deadlock", "overflow")


class Assertions(Kind):
    makes = (Assertion, Ends)

    def known(self, system: System) -> Iterator[Known]:
        yield Known(ASSERTIONS, "no assertion fails, no index is out of range, nothing is divided by zero")
        if system.valid_end is None:
            yield Known(DEADLOCK, _DEADLOCKS[system.deadlock], "otherwise")
        else:
            # Where a run may end is part of such a model.
            yield Known(END_STATES, "where no step is possible, every process is where it may end", "also")

    def read(self, asking: Asking) -> Iterator[Property]:
        if ASSERTIONS in asking.names:
            yield Assertion(asking.system)
        ends = deadlock_name(asking.system)
        # Who has clocks says himself what a deadlock is.
        if ends in asking.names and all(query.name != ends for query in asking.system.queries):
            yield Ends(asking.system)

    def along(self, asking: Asking) -> Iterator[Property]:
        # Queries that look for steps that go wrong are enough.
        told = any(query.failing and query.name in asking.names for query in asking.system.queries)
        if asking.of_states and ASSERTIONS not in asking.names and not told:
            yield Assertion(asking.system)


def _can_fail(system: System) -> bool:
    return any(failure.kind != "overflow" and failure.kind not in ASSUMPTIONS for failure in system.failures)
