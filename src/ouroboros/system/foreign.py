"""Steps that other code makes than that of a choice tree: what a front end hands over that has machine code of its own.

A system with `foreign` steps has fields, initial states, actions, failures and propositions like any other, so that
every search, store, checkpoint, trace and certificate knows how to deal with it; but nobody looks into its steps. They
come twice: as machine code for the search, and from a reference, which replays what was found and confirms
certificates, and must share nothing with the machine code.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ouroboros.system.layout import Vector

if TYPE_CHECKING:
    from ouroboros.system.interpret import Step

CROWDED = -1
"""Instead of a number of successors: there are more than `most_successors` said, which says more from now on."""


class Passing(str):
    """The name of what is told of a state as long as it is there: a change tells the new value alone, and no change
    tells that it is gone.
    """

    __slots__ = ()


class Known(ctypes.Structure):
    """Successors that were made before, of states of one word that is their number: those of state k are the targets
    from `begins[k]` to `ends[k]`, with their labels. A begin below zero says that they are not there. All are addresses
    of arrays: of 64 bits, but for the labels of 32.
    """

    begins: int
    ends: int
    targets: int
    labels: int
    states: int
    """How many there are in the table."""
    most: int
    """Of a state with more successors somebody else has to say so."""
    _fields_ = [(name, ctypes.c_int64) for name in ("begins", "ends", "targets", "labels", "states", "most")]


class Machine(NamedTuple):
    """Functions that kernels call by their addresses, from any number of workers at once."""

    successors: int
    """Of `i32 successors(u64* state, u64* out, u32* labels)`: writes successor k to the words from `out + k · words` on
    and its label to `labels[k]`, and returns how many there are. A label is the index of the action; with the bit 31
    the action failed, and the first word of the entry is the site of the failure; with the bit 30 an assertion was
    false on the way, and the run goes on. The same state has the same successors in the same order, in every process.
    """
    valuation: int
    """Of `u64 valuation(u64* state)`: bit i is the truth of `Observed(i)`; bit 63 alone: it cannot be told."""
    keep: Any = None
    """What must live as long as the addresses are used."""
    known: int = 0
    """The address of a table `Known`, where successors are looked for before they are asked for; 0: there is none."""


class Foreign(Protocol):
    """What a system has instead of a choice tree."""

    @property
    def most_successors(self) -> int:
        """Of any state. May become more where `successors` returned CROWDED."""

    def machine(self) -> Machine:
        """The machine code, for a search that is about to begin."""

    def steps(self, state: Vector) -> Sequence[Step]:
        """The reference: the same steps in the same order, a failing one with its site, and with its state only if the
        run goes on."""

    def observe(self, state: Vector) -> int:
        """The reference: what `valuation` gives; raises ExecutionError where that cannot tell."""

    def shown(self, state: Vector) -> Mapping[str, int | str] | None:
        """What is told of a state, by name. None: its fields, as the layout has them."""

    def remarks(self) -> Sequence[str]:
        """What a reader of a verdict should know of the steps, although nobody asked for it."""


class Beside:
    """The same steps in states that have more words, which no step changes: those of an automaton, say."""

    def __init__(self, foreign: Foreign, words: int) -> None:
        """`words` are those of the states that the steps know of."""
        self.inner = foreign
        self.words = words

    @property
    def most_successors(self) -> int:
        return self.inner.most_successors

    def machine(self) -> Machine:
        return self.inner.machine()

    def steps(self, state: Vector) -> Sequence[Step]:
        own, rest = state[: self.words], state[self.words :]
        return [self._widened(step, rest) for step in self.inner.steps(own)]

    def _widened(self, step: Step, rest: Vector) -> Step:
        return step._replace(
            state=None if step.state is None else step.state + rest,
            before=tuple(self._widened(each, rest) for each in step.before),
            within=tuple((inner, before + rest) for inner, before in step.within),
        )

    def observe(self, state: Vector) -> int:
        return self.inner.observe(state[: self.words])

    def shown(self, state: Vector) -> Mapping[str, int | str] | None:
        return self.inner.shown(state[: self.words])

    def remarks(self) -> Sequence[str]:
        return self.inner.remarks()
