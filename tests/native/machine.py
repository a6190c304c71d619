"""Calls machine code as the engine does, and compares it with the reference interpreter."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from random import Random

import numpy as np

from ouroboros.native import ASSERTED, EVALUATION_FAILED, FAILURE, FLAGS, TRANSIENT, compile_system
from ouroboros.reduce.stubborn import StubbornTables
from ouroboros.system import interpret
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.expressions import NO_SITE
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Vector
from ouroboros.system.model import Proposition, System

CANARY = 0xDEAD_BEEF


class Machine:
    """The compiled program of a system, with buffers of exactly the promised size and canaries behind them."""

    def __init__(
        self, system: System, propositions: Sequence[Proposition] = (), stubborn: StubbornTables | None = None
    ) -> None:
        self.system = system
        self.propositions = propositions
        self.program = compile_system(system, propositions, stubborn)
        address = ctypes.c_void_p
        self._successors = ctypes.CFUNCTYPE(ctypes.c_int32, address, address, address)(self.program.successors)
        self._valuation = ctypes.CFUNCTYPE(ctypes.c_uint64, address)(self.program.valuation)
        entries = self.program.most_successors + 1
        self._out = np.full((entries, self.program.words), CANARY, np.uint64)
        self._labels = np.full(entries, CANARY, np.uint32)

    def successors(self, state: Vector) -> list[Step]:
        vector = np.array(state, np.uint64)
        count = self._successors(vector.ctypes.data, self._out.ctypes.data, self._labels.ctypes.data)
        assert tuple(vector) == state
        assert 0 <= count <= self.program.most_successors
        assert (self._out[-1] == CANARY).all()
        assert self._labels[-1] == CANARY
        steps = [self._step(int(self._labels[k]), tuple(map(int, self._out[k]))) for k in range(count)]
        # What an assumption undoes was never made.
        failures = self.system.failures
        return [step for step in steps if step.failure is None or failures[step.failure].kind != "disabled"]

    def valuation(self, state: Vector) -> int:
        return int(self._valuation(np.array(state, np.uint64).ctypes.data))

    def assert_agrees(self, state: Vector) -> list[Step]:
        """The interpreter must see the same; gives the steps on which both agree."""
        expected = interpret.single_steps(self.system, state)
        assert self.successors(state) == [self._seen(step) for step in expected]
        assert self.valuation(state) == self._expected_valuation(state)
        return expected

    def assert_agrees_on_walk(self, state: Vector, steps: int, random: Random) -> None:
        for _ in range(steps):
            targets = [step.state for step in self.assert_agrees(state) if step.state is not None]
            if not targets:
                return
            state = random.choice(targets)

    def _seen(self, step: Step) -> Step:
        """A step of the interpreter as far as machine code tells of it: not which assertion it was that failed,
        nor what it says."""
        step = step._replace(printed="")
        return step if step.state is None or step.failure is None else step._replace(failure=NO_SITE)

    def _step(self, label: int, words: Vector) -> Step:
        action = label & ~FLAGS
        if not label & FAILURE:
            exclusive = self.system.exclusive
            assert bool(label & TRANSIENT) == bool(exclusive and self.system.layout.read(words, exclusive.field))
            return Step(action, words, NO_SITE if label & ASSERTED else None)
        return Step(None if action == len(self.system.actions) else action, None, words[0])

    def _expected_valuation(self, state: Vector) -> int:
        try:
            truths = interpret.valuation(self.system, state, self.propositions)
        except ExecutionError:
            return EVALUATION_FAILED
        return sum(truth << bit for bit, truth in enumerate(truths))
