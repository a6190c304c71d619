"""Confirming a certificate: one pass over its states by the interpreter, which shares nothing with the search.

A set of states that has the initial ones and all successors of its members has every state that is reachable. So what
is true of each of its members is true of every reachable state. It may have more; then more than necessary is shown.

For runs, states are those of the product with the automaton, and have a rank r, such that r(s) ≥ r(t) on every edge
from s to t, and r(s) > r(t) if s is accepting. Along a cycle ranks would have to come back to where they began: no
accepting state is on one. So the automaton accepts no run.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ouroboros.certificate.format import decoded
from ouroboros.ltl.automaton import Automaton
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.interpret import Step, evaluate, successors
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.model import ASSUMPTIONS, Failure, Proposition, System

Progress = Callable[[int, int], None]
"""Is told how many states are done, and of how many."""

_REPORT_EVERY = 256
_EXPANSIONS_KEPT = 1 << 15
"""A state of the system is in several of the product, and those are not far from each other."""

_STRANGE = "a state is none of the model: it has values that no variable can have"


class Refuted(Exception):
    """The certificate does not show what it says."""

    def __init__(self, reason: str, layout: Layout | None = None, state: Vector | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.state = described(layout, state) if layout and state else None


@dataclass(frozen=True)
class StatesClaim:
    """Every reachable state is as required, no step fails; and where no step is possible, a run may end."""

    system: System
    required: Sequence[Proposition]
    deadlock: bool
    """Whether runs must not end, nor a value overflow its variable."""

    @property
    def words(self) -> int:
        return self.system.layout.words


@dataclass(frozen=True)
class RunsClaim:
    """The automaton accepts no infinite run, and no step fails while it can go on."""

    system: System
    """With the automaton's state in `field`."""
    automaton: Automaton
    propositions: Sequence[Proposition]
    field: Field

    @property
    def words(self) -> int:
        """Of a row: the state, and its rank."""
        return self.system.layout.words + 1


def verify_states(claim: StatesClaim, blocks: Iterable[bytes], progress: Progress) -> int:
    """Returns the number of states; raises Refuted, or InputError for blocks that are none."""
    layout = claim.system.layout
    packed = struct.Struct(f"<{layout.words}Q")
    ranks = _read(blocks, packed, claim.words, layout)
    _confirm_initial(claim.system, packed, ranks)
    for number, key in enumerate(ranks):
        if number % _REPORT_EVERY == 0:
            progress(number, len(ranks))
        state = packed.unpack(key)
        steps = _successors(claim.system, state)
        for proposition in claim.required:
            if not _holds(claim.system, proposition, state):
                raise Refuted(f"`{proposition.name}` is false in a state", layout, state)
        if claim.deadlock and not _goes_on(claim.system, state, steps):
            raise Refuted("a run ends in a state where it must not", layout, state)
        for step in steps:
            _confirm_step(claim.system, state, step, overflow=claim.deadlock, assertion=True)
            if step.state is not None and packed.pack(*step.state) not in ranks:
                raise Refuted(_not_closed(layout, step.state), layout, state)
    return len(ranks)


def verify_runs(claim: RunsClaim, blocks: Iterable[bytes], progress: Progress) -> int:
    """Returns the number of states of the product; raises Refuted, or InputError for blocks that are none."""
    system, automaton = claim.system, claim.automaton
    layout = system.layout
    packed = struct.Struct(f"<{layout.words}Q")
    ranks = _read(blocks, packed, claim.words, layout)
    _confirm_initial(system, packed, ranks)

    @lru_cache(_EXPANSIONS_KEPT)
    def letter_of(state: Vector) -> int:
        return _letter(claim, state)

    @lru_cache(_EXPANSIONS_KEPT)
    def successors_of(state: Vector) -> tuple[Vector, ...]:
        return _system_successors(claim, state)

    for number, (key, rank) in enumerate(ranks.items()):
        if number % _REPORT_EVERY == 0:
            progress(number, len(ranks))
        state = packed.unpack(key)
        location = layout.read(state, claim.field)
        if location >= automaton.states:
            raise Refuted("the automaton has no such state", layout, state)
        alone = _with(layout, claim.field, state, 0)
        letter = letter_of(alone)
        least = rank - automaton.accepting[location]
        for edge in automaton.edges[location]:
            if not edge.allows(letter):
                continue
            for system_state in successors_of(alone):
                target = _with(layout, claim.field, system_state, edge.target)
                target_rank = ranks.get(packed.pack(*target))
                if target_rank is None:
                    raise Refuted(_not_closed(layout, target), layout, state)
                if target_rank > least:
                    accepting = "an accepting state" if automaton.accepting[location] else "a state"
                    reason = f"the rank does not decrease: {rank} in {accepting}, {target_rank} in a successor of it"
                    raise Refuted(reason, layout, state)
    return len(ranks)


def _read(blocks: Iterable[bytes], packed: struct.Struct, words: int, layout: Layout) -> Mapping[bytes, int]:
    """Each state, and its rank: zero where there are none."""
    ranks: dict[bytes, int] = {}
    size = packed.size
    for block in blocks:
        rows = decoded(block, words)
        data = rows[:, : layout.words].astype("<u8").tobytes()
        row_ranks = rows[:, -1].tolist() if words > layout.words else [0] * len(rows)
        for number, rank in enumerate(row_ranks):
            key = data[number * size : (number + 1) * size]
            if key in ranks:
                raise Refuted("a state is there twice", layout, packed.unpack(key))
            ranks[key] = rank
    return ranks


def _confirm_initial(system: System, packed: struct.Struct, ranks: Mapping[bytes, int]) -> None:
    for state in system.initial:
        if packed.pack(*state) not in ranks:
            raise Refuted("an initial state is not in the set", system.layout, state)


def _successors(system: System, state: Vector) -> list[Step]:
    try:
        return successors(system, state)
    except (IndexError, KeyError, RecursionError):
        raise Refuted(_STRANGE, system.layout, state) from None


def _confirm_step(system: System, state: Vector, step: Step, *, overflow: bool, assertion: bool) -> None:
    """The step and those on its way do not fail: by an overflow, or by an assertion, only where that counts."""
    for made in (*step.before, step):
        if made.failure is None:
            continue
        failure = _failure(system, made.failure, state)
        if failure.kind in ASSUMPTIONS or (failure.kind == "overflow" and not overflow):
            continue
        if made.state is not None and not assertion:
            continue
        if failure.kind == "room":
            raise Refuted(f"the states have no room for what a step creates: {failure.message}", system.layout, state)
        raise Refuted(f"a step fails: {failure.message}", system.layout, state)


def _failure(system: System, site: int, state: Vector) -> Failure:
    if site < 0:
        raise Refuted(_STRANGE, system.layout, state)
    return system.failures[site]


def _goes_on(system: System, state: Vector, steps: Sequence[Step]) -> bool:
    """Whether this is no deadlock, or one that a run may end in."""
    back = system.deadlock == "stuttering" and all(step.state == state for step in steps)
    if steps and not back:
        return True
    try:
        return system.valid_end is not None and evaluate(system, state, system.valid_end) != 0
    except ExecutionError:
        return False


def _holds(system: System, proposition: Proposition, state: Vector) -> bool:
    try:
        return evaluate(system, state, proposition.expression) != 0
    except ExecutionError as error:
        message = _failure(system, error.site, state).message
        raise Refuted(f"`{proposition.name}` cannot be evaluated: {message}", system.layout, state) from None


def _letter(claim: RunsClaim, state: Vector) -> int:
    """The valuation of a state: bit i for atom i."""
    return sum(_holds(claim.system, item, state) << bit for bit, item in enumerate(claim.propositions))


def _system_successors(claim: RunsClaim, state: Vector) -> tuple[Vector, ...]:
    """Where the system can go: a run that ends stays where it is for ever, unless such runs do not count."""
    steps = _successors(claim.system, state)
    for step in steps:
        _confirm_step(claim.system, state, step, overflow=False, assertion=False)
    if not steps and claim.system.extends_finite_runs:
        return (state,)
    return tuple(dict.fromkeys(step.state for step in steps if step.state is not None))


def _with(layout: Layout, item: Field, state: Vector, value: int) -> Vector:
    words = list(state)
    layout.write(words, item, 0, value)
    return tuple(words)


def _not_closed(layout: Layout, missing: Vector) -> str:
    return f"a successor of a state is not in the set: {described(layout, missing)}"


def described(layout: Layout, state: Vector) -> str:
    """A state in words."""
    return ", ".join(
        f"{item.element_name(index)}: {item.show(layout.read(state, item, index))}"
        for item in layout.fields
        for index in range(item.elements)
    )
