"""Replay of a run beside an automaton: a lasso, or a run on which the model goes wrong before there can be one.

Every step is made twice: by the interpreter, and by the automaton, which must have an edge that allows the letter of
the state that the step leaves. A lasso violates a property only if it closes, bit by bit, and an accepting state of
the automaton lies on its cycle.
"""

from __future__ import annotations

from dataclasses import replace

from ouroboros.errors import SelfCheckError
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.interpret import evaluate
from ouroboros.system.layout import Vector
from ouroboros.system.model import System
from ouroboros.trace.fair import (
    ALL_RUNS,
    FairRuns,
    Walk,
    confirm_closed,
    confirm_fair,
    follow,
    length_of,
    walk_along,
)
from ouroboros.trace.replay import cannot_be_evaluated, confirm_start, failing_steps
from ouroboros.trace.times import with_moments
from ouroboros.verdict.outcome import Finding
from ouroboros.verdict.trace import Due, Trace, TraceStep, Violation, Watcher


def replay_beside(system: System, watcher: Watcher, finding: Finding, fair: FairRuns = ALL_RUNS) -> Trace:
    """The trace of a finding in the product with an automaton; `system` has the automaton's field in its states."""
    confirm_start(system, finding)
    cycle = finding.cycle or []
    walk = walk_along(
        finding, lambda before, after, taken, number: _follow(system, watcher, before, after, taken, number, fair)
    )
    steps = walk.steps
    loop_start = None
    dues: tuple[Due, ...] = ()
    match finding.kind:
        case "cycle":
            loop_start = walk.made[len(finding.path) - 1]
            _confirm_cycle(system, watcher, finding.path[-1], cycle)
            violation = Violation("cycle", f"a run that repeats {length_of(len(steps) - loop_start)} for ever")
            dues = confirm_fair(system, fair.fairness, finding, walk)
        case "proposition":
            violation = _confirm_unknown_letter(system, watcher, finding.states[-1])
        case "failure":
            failing, violation = failing_steps(system, finding.states[-1], "failure", ends=True)
            steps += failing
        case "deadlock" | "overflow" | "trapped" | "room":
            raise SelfCheckError("a search for cycles reported the end of a run, which it was not asked for")
    trace = Trace(system, finding.path[0], tuple(steps), violation, loop_start, watcher, dues)
    return with_moments(_decided(trace, walk, finding) if finding.kind == "cycle" and fair == ALL_RUNS else trace)


def _decided(trace: Trace, walk: Walk, finding: Finding) -> Trace:
    """The shortest beginning of a lasso that no run goes on from without a violation; or all of it.

    The automaton moves on what it sees in a state when a step leaves it: so the state before decides.
    """
    assert trace.watcher
    automaton, field = trace.watcher.automaton, trace.watcher.field
    for number, state in enumerate(finding.states[1:]):
        if automaton.accepts_everything(trace.system.layout.read(state, field)):
            steps = walk.made[number]
            where = f"at step {steps:,}" if steps else "in the initial state"
            violation = Violation("prefix", f"false {where}, whatever follows")
            return replace(trace, steps=trace.steps[:steps], violation=violation, loop_start=None)
    return trace


def _follow(
    system: System,
    watcher: Watcher,
    before: Vector,
    after: Vector,
    taken: frozenset[int] | None,
    number: int,
    fair: FairRuns,
) -> list[TraceStep]:
    _confirm_edge(system, watcher, before, after, number)
    target = system.layout.read(after, watcher.field)

    def arrived(state: Vector) -> bool:
        words = list(state)
        system.layout.write(words, watcher.field, 0, target)
        return tuple(words) == after

    return follow(system, before, after, taken, number, fair, arrived)


def _confirm_edge(system: System, watcher: Watcher, before: Vector, after: Vector, number: int) -> None:
    """The automaton can go from its state in one vector to its state in the next."""
    automaton = watcher.automaton
    origin, target = (system.layout.read(state, watcher.field) for state in (before, after))
    if origin >= automaton.states or target >= automaton.states:
        raise SelfCheckError(f"step {number} of the counterexample leaves the automaton")
    try:
        letter = _letter(system, watcher, before)
    except ExecutionError:
        raise SelfCheckError(f"step {number} of the counterexample leaves a state that has no valuation") from None
    if not any(edge.target == target and edge.allows(letter) for edge in automaton.edges[origin]):
        raise SelfCheckError(f"the automaton of the property cannot go with step {number} of the counterexample")


def _letter(system: System, watcher: Watcher, state: Vector) -> int:
    """The valuation of a state, bit i for atom i; raises ExecutionError."""
    return sum(
        1 << index
        for index, proposition in enumerate(watcher.propositions)
        if evaluate(system, state, proposition.expression)
    )


def _confirm_cycle(system: System, watcher: Watcher, first: Vector, cycle: list[Vector]) -> None:
    confirm_closed(first, cycle)
    locations = [system.layout.read(state, watcher.field) for state in cycle]
    if not any(watcher.automaton.accepting[location] for location in locations):
        raise SelfCheckError("no state on the cycle of the counterexample is accepting")


def _confirm_unknown_letter(system: System, watcher: Watcher, state: Vector) -> Violation:
    for proposition in watcher.propositions:
        try:
            evaluate(system, state, proposition.expression)
        except ExecutionError as error:
            return cannot_be_evaluated(system, proposition, error)
    raise SelfCheckError("the interpreter can evaluate every atom in the state that was reported")
