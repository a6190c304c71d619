"""A system beside the one that is reduced: what both do, by the interpreter alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ouroboros.errors import InputError, UsageError
from ouroboros.languages import GrowingModel
from ouroboros.reduce.smaller import smaller
from ouroboros.source import Source
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.expressions import fields_in
from ouroboros.system.interpret import evaluate, single_steps, successors
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import ASSUMPTIONS, Proposition, Reduced, ReductionKind, System
from tests.peers.counting import TooLarge, ways
from tests.reduce.judging import load
from tests.reduce.random_enabledness import RandomModel


class Graph(NamedTuple):
    states: int
    ends: bool
    """Whether a run ends where it may not."""
    failures: frozenset[str]
    false: bool
    """Whether a proposition is false somewhere."""
    missing: frozenset[int]
    """Sites where there was no room for a process."""


def graph(system: System, propositions: Sequence[Proposition] = (), most: int = 1500) -> Graph:
    """Visit all states; raises TooLarge."""
    queue: list[Vector] = list(dict.fromkeys(system.initial))
    seen = set(queue)
    failures: set[str] = set()
    missing: set[int] = set()
    ends = false = False
    work = 0
    for state in queue:
        work += ways(system, state, 400)
        if len(queue) > most or work > 10 * most:
            raise TooLarge
        false = false or not all(_holds(system, state, each) for each in propositions)
        steps = successors(system, state)
        ends = ends or (not steps and not _may_end(system, state))
        for step in steps:
            for each in (*step.before, step):
                if each.failure is not None:
                    failures.add(system.failures[each.failure].kind)
                    if system.failures[each.failure].kind == "room":
                        missing.add(each.failure)
            if step.state is not None and step.state not in seen:
                seen.add(step.state)
                queue.append(step.state)
    return Graph(len(seen), ends, frozenset(failures) - ASSUMPTIONS, false, frozenset(missing))


def _holds(system: System, state: Vector, proposition: Proposition) -> bool:
    try:
        return evaluate(system, state, proposition.expression) != 0
    except ExecutionError:
        return False


def _may_end(system: System, state: Vector) -> bool:
    return system.valid_end is not None and evaluate(system, state, system.valid_end) != 0


def states_left(text: str, language: str, kind: ReductionKind, observed: Iterable[str] = ()) -> tuple[int, int]:
    """How many states a model has, and how many are left if nobody looks at more than the fields of these names."""
    system = replace(load(text, language).system, deadlock="stuck")
    looked_at = frozenset(item for item in system.layout.fields if item.name in observed)
    reduced = smaller(system, looked_at, frozenset({kind}))
    whole = graph(system)
    return whole.states, graph(reduced.system).states if reduced else whole.states


def assert_sound(model: RandomModel, language: str, kind: ReductionKind) -> None:
    """One reduction of a random model changes no answer, and leaves no more states than there were."""
    try:
        loaded = load(model.text, language)
        while True:
            invariants = [loaded.proposition(Source("asked", text)) for text in model.invariants]
            system = replace(loaded.system, deadlock="stuck")
            found = graph(system)
            if not found.missing:
                break
            assert isinstance(loaded, GrowingModel)
            loaded.grow(found.missing)
        for asked in ([], invariants):
            assert_system_is_sound(system, (*asked, *system.assertions, *system.covers), kind)
    except (TooLarge, InputError, UsageError):
        return


def assert_system_is_sound(system: System, propositions: Sequence[Proposition], kind: ReductionKind) -> None:
    observed: frozenset[Field] = frozenset(item for each in propositions for item in fields_in(each.expression))
    reduced = smaller(system, observed, frozenset({kind}))
    if reduced is None:
        return
    assert reduced.kinds == {kind}
    whole, left = graph(system, propositions), graph(reduced.system, propositions)
    assert left.states <= whole.states
    wrong = bool(whole.failures - {"overflow"})
    assert bool(left.failures - {"overflow"}) == wrong
    if kind != "merging" or not wrong:
        # A step that fails inside of another one leads nowhere, and what would have come after it is not seen.
        assert left == whole._replace(states=left.states)
    assert_steps_are_made_of(system, reduced)


def assert_steps_are_made_of(system: System, reduced: Reduced) -> None:
    """From initial states, each action leads where those that it is made of lead, up to what is forgotten."""
    for state in system.initial:
        for step in single_steps(reduced.system, state):
            if step.action is None or step.state is None:
                continue
            now = state
            for number in reduced.origins[step.action]:
                made = [each for each in single_steps(system, now) if each.action == number]
                assert made
                assert made[0].state is not None
                now = made[0].state
            if reduced.kinds == {"merging"}:
                assert now == step.state
