"""A lasso is replayed together with the automaton; whatever does not fit is our own mistake."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ouroboros.errors import SelfCheckError
from ouroboros.ltl import Edge
from ouroboros.system.expressions import Binary, Constant, Read
from ouroboros.system.layout import Vector
from ouroboros.system.model import Proposition, System
from ouroboros.trace.lasso import replay_beside
from ouroboros.verdict.outcome import Finding
from ouroboros.verdict.trace import Trace, Watcher

from .handmade import AWAY, counter, placed, watched
from .test_replay import path


class Round:
    """A model that counts to 2 and begins again, for a property that its runs violate: the automaton accepts all."""

    def __init__(self) -> None:
        self.system, watcher = watched(counter(2, loop=True))
        always = replace(
            watcher.automaton, edges=((Edge(0, 0, 0), Edge(0, 0, AWAY)), (Edge(0, 0, AWAY), Edge(1, 1, 0)))
        )
        self.watcher = replace(watcher, automaton=always)
        # The first time round, the slots are being set: turn is 0 1 2, and then 0 1 2 for ever.
        states = path(self.system, 7)
        self.stem = [*states[:3], self.away(states[3])]
        self.cycle = [self.away(state) for state in states[4:]]

    def away(self, state: Vector) -> Vector:
        return placed(self.system, self.watcher, state, AWAY)

    def replay(self, stem: list[Vector] | None = None, cycle: list[Vector] | None = None) -> Trace:
        finding = Finding("cycle", self.stem if stem is None else stem, self.cycle if cycle is None else cycle)
        return replay_beside(self.system, self.watcher, finding)


def test_a_lasso_is_confirmed() -> None:
    trace = Round().replay()
    # Whoever is away accepts all that follows: the automaton goes there as the run leaves its second state.
    assert (trace.violation.kind, trace.violation.message) == ("prefix", "false at step 2, whatever follows")
    assert (len(trace.steps), trace.loop_start) == (2, None)
    assert [step.action for step in trace.steps] == [0, 0]
    assert [trace.location(step.state) for step in trace.steps if step.state] == ["home"] * 2
    assert [item.name for item in trace.fields] == ["turn", "slot", "B"]


def test_a_cycle_that_does_not_close_is_our_mistake() -> None:
    lasso = Round()
    with pytest.raises(SelfCheckError, match="does not close"):
        lasso.replay(cycle=lasso.cycle[:-1])
    with pytest.raises(SelfCheckError, match="does not close"):
        lasso.replay(cycle=[])
    # Only the automaton's state differs.
    back = placed(lasso.system, lasso.watcher, lasso.cycle[-1], 0)
    stem = [*lasso.stem[:3], back]
    with pytest.raises(SelfCheckError, match="does not close"):
        lasso.replay(stem=stem)


def test_a_cycle_without_an_accepting_state_is_our_mistake() -> None:
    lasso = Round()
    home = path(lasso.system, 7)
    with pytest.raises(SelfCheckError, match="accepting"):
        lasso.replay(home[:4], home[4:])


def test_a_step_that_the_system_cannot_make_is_our_mistake() -> None:
    lasso = Round()
    with pytest.raises(SelfCheckError, match="cannot make step 4 "):
        lasso.replay(cycle=lasso.cycle[1:])


def test_a_step_that_the_automaton_cannot_make_is_our_mistake() -> None:
    lasso = Round()
    # From away, only a state where turn is 0 lets the automaton go home.
    cycle = [lasso.cycle[0], placed(lasso.system, lasso.watcher, lasso.cycle[1], 0), lasso.cycle[2]]
    with pytest.raises(SelfCheckError, match=r"automaton .* cannot go with step 5 "):
        lasso.replay(cycle=cycle)


def test_a_state_that_the_automaton_has_not_is_our_mistake() -> None:
    lasso = Round()
    smaller = replace(lasso.watcher.automaton, edges=((Edge(0, 0, 0),),), accepting=(True,))
    lasso.watcher = replace(lasso.watcher, automaton=smaller)
    with pytest.raises(SelfCheckError, match=r"step 3 .* leaves the automaton"):
        lasso.replay()


def test_a_start_that_is_not_initial_is_our_mistake() -> None:
    lasso = Round()
    with pytest.raises(SelfCheckError, match="initial"):
        lasso.replay(stem=lasso.stem[1:])
    with pytest.raises(SelfCheckError, match="initial"):
        lasso.replay(stem=[lasso.away(lasso.stem[0]), *lasso.stem[1:]])


def ended(extends: bool) -> tuple[System, Watcher, Finding]:
    system, watcher = watched(counter(1, extends=extends))
    start, end = path(system, 2)
    away = placed(system, watcher, end, AWAY)
    return system, watcher, Finding("cycle", [start, end, away], [away])


def test_a_run_that_ends_repeats_its_last_state_only_where_the_system_says_so() -> None:
    trace = replay_beside(*ended(extends=True))
    assert [step.repeats for step in trace.steps] == [False, True, True]
    with pytest.raises(SelfCheckError, match="cannot make step 2 "):
        replay_beside(*ended(extends=False))


def test_a_run_that_goes_on_cannot_repeat_a_state() -> None:
    system, watcher = watched(counter(2, extends=True))
    start = system.initial[0]
    with pytest.raises(SelfCheckError, match="cannot make step 1 "):
        replay_beside(system, watcher, Finding("cycle", [start], [start]))


def test_a_failing_action_ends_the_run() -> None:
    system, watcher = watched(counter(3, slots=1))
    trace = replay_beside(system, watcher, Finding("failure", path(system, 2)))
    assert trace.violation.message == "index out of range: slot has too few elements"
    assert [step.failure is not None for step in trace.steps] == [False, True]
    assert not trace.steps[-1].repeats


def inverse(model_last: int) -> tuple[System, Watcher]:
    """An atom that divides by 1 - turn."""
    system, watcher = watched(counter(model_last))
    turn = Read(system.layout.fields[0])
    divided = Binary("/", Constant(1), Binary("-", Constant(1), turn), 1)
    return system, replace(watcher, propositions=(Proposition("inverse", divided),))


def test_an_atom_that_cannot_be_evaluated_ends_the_run() -> None:
    system, watcher = inverse(3)
    trace = replay_beside(system, watcher, Finding("proposition", path(system, 2)))
    assert trace.violation.message == "`inverse` cannot be evaluated: division by zero"
    assert (len(trace.steps), trace.loop_start) == (1, None)
    with pytest.raises(SelfCheckError, match="every atom"):
        replay_beside(system, watcher, Finding("proposition", path(system, 1)))
    with pytest.raises(SelfCheckError, match=r"step 2 .* no valuation"):
        replay_beside(system, watcher, Finding("proposition", path(system, 3)))


def test_a_deadlock_is_not_what_was_asked_for() -> None:
    system, watcher = watched(counter(1))
    with pytest.raises(SelfCheckError, match="the end of a run"):
        replay_beside(system, watcher, Finding("deadlock", path(system, 2)))
