"""The steps of a library, for everything that explores: by machine code, and by calls from Python as the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ouroboros.errors import InputError
from ouroboros.languages.modules.pins.interface import Made, PinsLibrary
from ouroboros.languages.modules.pins.machine import (
    ASSERTION,
    BEYOND,
    CHANGED,
    MOST,
    WANTED,
    Desk,
    Packing,
    machine_code,
)
from ouroboros.system import foreign
from ouroboros.system.choices import Part
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Vector

MOST_SUCCESSORS = 1 << 16


class Steps:
    """What a system of a library has instead of a choice tree."""

    def __init__(self, pins: PinsLibrary, packing: Packing, predicates: Sequence[int]) -> None:
        self._pins, self._packing, self._predicates = pins, packing, predicates
        self._desk = Desk()

    @property
    def most_successors(self) -> int:
        words = self._desk.words
        if words[WANTED] > MOST_SUCCESSORS:
            name = self._pins.library.name
            raise InputError(f"{name}: it gives more than {MOST_SUCCESSORS:,} successors of one state")
        words[MOST] = max(words[MOST], words[WANTED])
        return int(words[MOST])

    def machine(self) -> foreign.Machine:
        return machine_code(self._pins, self._desk, self._packing, self._predicates)

    def steps(self, state: Vector) -> Sequence[Step]:
        given = self._values(state)
        found, afterwards = self._pins.successors(given)
        made = [self._step(each) for each in found]
        return made if afterwards == given else [*made, Step(0, None, CHANGED)]

    def _step(self, each: Made) -> Step:
        number = each.number if 0 <= each.number < self._pins.transitions else 0
        parts, state = (self.part(number),), self.vector(each.state)
        if state is None:
            return Step(0, None, BEYOND, parts=parts)
        return Step(number, state, ASSERTION if each.asserted else None, parts=parts)

    def part(self, number: int) -> Part:
        statements = self._pins.labels.statements
        told = statements[number] if number < len(statements) else "step"
        return Part("", told, None)

    def observe(self, state: Vector) -> int:
        given = self._values(state)
        told = [self._pins.holds(each, given) for each in self._predicates]
        told += [self._pins.accepts(given)] if self._pins.accepting else []
        return sum(1 << bit for bit, each in enumerate(told) if each)

    def shown(self, state: Vector) -> Mapping[str, int | str] | None:
        return None

    def remarks(self) -> Sequence[str]:
        return ()

    def vector(self, state: Sequence[int]) -> Vector | None:
        """None: a value has more bits than its type."""
        words = [0] * self._packing.words
        for value, (word, shift, bits) in zip(state, self._packing.places, strict=True):
            raw = value & 0xFFFFFFFF
            if raw >> bits:
                return None
            words[word] |= raw << shift
        return tuple(words)

    def _values(self, state: Vector) -> tuple[int, ...]:
        values = (state[word] >> shift & (1 << bits) - 1 for word, shift, bits in self._packing.places)
        return tuple(value - (value >> 31 << 32) for value in values)
