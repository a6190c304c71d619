"""The steps of a program, for everything that explores."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence

import numpy as np

from ouroboros.languages.c.description import Description
from ouroboros.languages.c.machine.compile import Machine
from ouroboros.native import FAILURE
from ouroboros.system import foreign
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Vector


class Steps:
    """What a system of a program has instead of a choice tree."""

    def __init__(self, machine: Machine, description: Description) -> None:
        self._machine, self._description = machine, description

    @property
    def most_successors(self) -> int:
        return self._machine.most_successors

    def machine(self) -> foreign.Machine:
        return foreign.Machine(self._machine.successors, self._machine.valuation, self._machine)

    def steps(self, state: Vector) -> Sequence[Step]:
        machine = self._machine
        words = machine.layout.words
        while True:
            most = self.most_successors
            vector = np.array(state, np.uint64)
            out = np.zeros(most * words, np.uint64)
            labels = np.zeros(most, np.uint32)
            function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
            found = function(machine.successors)(vector.ctypes.data, out.ctypes.data, labels.ctypes.data)
            if found >= 0:
                break
        made = []
        for number in range(found):
            label = int(labels[number])
            slot = label & ~FAILURE
            parts = (self._description.part(state, slot),)
            target = tuple(int(word) for word in out[number * words : (number + 1) * words])
            if label & FAILURE:
                made.append(Step(slot, None, target[0], parts=parts))
            else:
                made.append(Step(slot, target, parts=parts))
        return made

    def observe(self, state: Vector) -> int:
        return 0

    def shown(self, state: Vector) -> Mapping[str, int | str]:
        return self._description.shown(state)
