"""Random walks on which machine code and reference must make the same steps."""

from __future__ import annotations

import ctypes
from pathlib import Path
from random import Random

import numpy as np

from ouroboros.languages.c.compile import CompilerOptions, compile_program
from ouroboros.languages.c.description import Description
from ouroboros.languages.c.machine.compile import Machine, machine_code
from ouroboros.languages.c.machine.layout import Room
from ouroboros.languages.c.machine.stepping import DROPPED_SITE
from ouroboros.languages.c.pipeline import PipelineOptions, prepare
from ouroboros.languages.c.steps import Steps
from ouroboros.native import FAILURE
from ouroboros.system.layout import Vector

ROOM = Room(threads=4, main_words=64, stack_words=64, heap_objects=16, heap_words=64)


class Both:
    """The two ways to make the steps of a program."""

    def __init__(self, path: Path, room: Room = ROOM, definitions: tuple[str, ...] = ()) -> None:
        text = compile_program([path], CompilerOptions(definitions), room.threads)
        program = prepare(text, PipelineOptions(slots=room.threads))
        assert not program.needs, program.needs
        self.machine: Machine = machine_code(program, room, leaks=True)
        self.steps = Steps(self.machine, Description(self.machine))
        kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        self._successors = kind(self.machine.successors)
        self._race = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(self.machine.race)

    def by_machine(self, state: Vector) -> list[tuple[int, Vector | tuple[int, str]]]:
        """Who moves, and the next state, or what fails and where."""
        words = self.machine.layout.words
        vector = np.array(state, np.uint64)
        found = -1
        while found < 0:
            most = self.machine.most_successors
            out, labels = np.zeros(most * words, np.uint64), np.zeros(most, np.uint32)
            found = self._successors(vector.ctypes.data, out.ctypes.data, labels.ctypes.data)
        made: list[tuple[int, Vector | tuple[int, str]]] = []
        for number in range(found):
            entry = tuple(int(word) for word in out[number * words : (number + 1) * words])
            label = int(labels[number])
            made.append((label & ~FAILURE, self._failure(entry[0]) if label & FAILURE else entry))
        return made

    def by_reference(self, state: Vector) -> list[tuple[int, Vector | tuple[int, str]]]:
        made: list[tuple[int, Vector | tuple[int, str]]] = []
        for step in self.steps.steps(state):
            assert step.action is not None
            if step.state is not None:
                made.append((step.action, step.state))
            else:
                assert step.failure is not None
                made.append((step.action, self._failure(step.failure)))
        return made

    def _failure(self, site: int) -> tuple[int, str]:
        failure = self.machine.failures[site]
        return (failure.kind, failure.text) if site != DROPPED_SITE else (failure.kind, "dropped")

    def walk(self, random: Random, steps: int) -> int:
        """How many steps a random walk has made before it ended; after each, both must say the same of the state."""
        state = self.machine.initial
        for made in range(steps):
            assert self.steps.vectors.encode(self.steps.vectors.decode(state)) == state or state == self.machine.begin
            vector = np.array(state, np.uint64)
            race = self.steps.races.in_state(state) is not None
            assert self._race(vector.ctypes.data) == race, self.steps.shown(state)
            found, expected = self.by_machine(state), self.by_reference(state)
            if found != expected:
                raise AssertionError(self._difference(state, found, expected))
            on = [target for _, target in found if len(target) > 2]
            if not on:
                return made
            state = random.choice(on)  # type: ignore[assignment]  # none of them has failed
        return steps

    def _difference(self, state: Vector, found: list[object], expected: list[object]) -> str:  # type: ignore[type-arg]  # of both kinds of steps
        lines = [f"in {self.steps.vectors.decode(state)}", f"{self.steps.shown(state)}"]
        for one, other in zip(found, expected, strict=False):
            if one != other:
                for name, (slot, target) in (("machine", one), ("reference", other)):  # type: ignore[misc]  # likewise
                    told = self.steps.vectors.decode(target) if len(target) > 2 else target
                    lines.append(f"{name}: {slot} {told}")
        return "\n".join([*lines, f"{len(found)} steps of the machine, {len(expected)} of the reference"])
