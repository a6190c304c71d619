"""Properties of programs that are looked for on request: data races, and leaks."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from ouroboros.languages.c.description import Description
from ouroboros.languages.c.machine.compile import Machine
from ouroboros.languages.c.machine.layout import LEAKED
from ouroboros.languages.c.reference.interpreter import Reference
from ouroboros.languages.c.reference.races import Race, race_in
from ouroboros.languages.c.reference.run import Access
from ouroboros.languages.c.vectors import Vectors
from ouroboros.native.labels import FAILURE
from ouroboros.system.expressions import Binary, Constant, Observed, Read, Unary
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import OnRequest, Proposition

RACES, LEAKS = "races", "leaks"
ON_REQUEST = (
    OnRequest(RACES, "no two threads are about to access the same memory, one of them writing, unless both are atomic"),
    OnRequest(
        LEAKS, "no allocated memory is lost before it is freed, nor left behind by main with nothing that points to it"
    ),
)
RACE = 0
"""The bit of a valuation that tells of a race."""

_MOST_LOOKED_AT = 2000


def no_race(told: Callable[[Vector], str]) -> Proposition:
    return Proposition(RACES, Unary("not", Observed(RACE)), told=told)


def no_leak(first_word: Field, told: Callable[[Vector], str]) -> Proposition:
    kept = Binary("==", Binary("&", Read(first_word), Constant(LEAKED - (1 << 64))), Constant(0))
    return Proposition(LEAKS, kept, told=told)


class Races:
    """The races of a program in words."""

    def __init__(self, machine: Machine, description: Description, reference: Reference, vectors: Vectors) -> None:
        self._machine, self._description = machine, description
        self._reference, self._vectors = reference, vectors

    def in_state(self, state: Vector) -> Race | None:
        return None if state == self._machine.begin else race_in(self._reference, self._vectors.decode(state))

    def told(self, state: Vector) -> str:
        race = self.in_state(state)
        assert race is not None
        return self._told(state, race)

    def _told(self, state: Vector, race: Race) -> str:
        what = self._description.address(state, race.one.pointer)
        return f"a data race on {what}: {self._access(state, race.one)}, {self._access(state, race.other)}"

    def _access(self, state: Vector, access: Access) -> str:
        does = "writes" if access.writes else "reads"
        atomically = " atomically" if access.atomic else ""
        place = self._description.places.own(access.instruction.location)
        where = f" at {place.file.name}:{place.line}" if place else ""
        return f"{self._description.thread(state, access.slot)} {does}{atomically}{where}"

    def met(self) -> str | None:
        """A race in one of the first states, in words."""
        machine = self._machine
        words = machine.layout.words
        successors = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3)(machine.successors)
        observe = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(machine.race)
        first = np.array(machine.initial, np.uint64)
        seen, waiting = {first.tobytes()}, [first]
        for vector in waiting:
            if observe(vector.ctypes.data):
                state = tuple(map(int, vector))
                return self.told(state)
            found = -1
            while found < 0:
                most = machine.most_successors
                out, labels = np.zeros((most, words), np.uint64), np.zeros(most, np.uint32)
                found = successors(vector.ctypes.data, out.ctypes.data, labels.ctypes.data)
            for target, label in zip(out[:found], labels[:found], strict=True):
                key = target.tobytes()
                if not label & FAILURE and key not in seen and len(seen) < _MOST_LOOKED_AT:
                    seen.add(key)
                    waiting.append(target.copy())
        return None
