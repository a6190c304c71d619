"""Replay of runs that must be fair: on the cycle of a lasso every fair action has its due.

A strongly fair action is taken on the cycle, or enabled nowhere on it; a weakly fair one is taken, or disabled
somewhere. The interpreter says what is enabled, and which steps there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ouroboros.errors import SelfCheckError
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.fairness import FairAction, Fairness, enabled_actions, first_action, taken_by
from ouroboros.system.interpret import evaluate, successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import Proposition, System
from ouroboros.trace.replay import cannot_be_evaluated, confirm_start, failing_steps, trace_steps
from ouroboros.verdict.outcome import Finding
from ouroboros.verdict.trace import Due, Trace, TraceStep, Violation


class FairRuns(NamedTuple):
    """The runs that a property speaks of."""

    fairness: Fairness = ()
    stutters: bool = False
    """Whether a run may stay in any state without an action."""


ALL_RUNS = FairRuns()


def replay_response(system: System, p: Proposition, q: Proposition, finding: Finding, fair: FairRuns) -> Trace:
    """The trace of a finding that p is not always followed by q."""
    confirm_start(system, finding)
    cycle = finding.cycle or []
    walk = walk_along(
        finding,
        lambda before, after, taken, number: follow(system, before, after, taken, number, fair, after.__eq__),
    )
    steps = walk.steps
    loop_start = None
    dues: tuple[Due, ...] = ()
    match finding.kind:
        case "cycle":
            confirm_closed(finding.path[-1], cycle)
            violation = _confirm_unanswered(system, p, q, finding, walk)
            dues = confirm_fair(system, fair.fairness, finding, walk)
            loop_start = walk.made[len(finding.path) - 1]
        case "proposition":
            violation = _confirm_unknown(system, (p, q), finding.states[-1])
        case "failure":
            failing, violation = failing_steps(system, finding.states[-1], "failure", ends=True)
            steps += failing
        case "deadlock" | "overflow" | "room":
            raise SelfCheckError("a search for cycles reported the end of a run, which it was not asked for")
    return Trace(system, finding.path[0], tuple(steps), violation, loop_start, dues=dues)


class Walk(NamedTuple):
    """The steps of a trace along the states of a finding; some take several, through transient states."""

    steps: list[TraceStep]
    made: list[int]
    """How many steps lead to each state of the finding."""


def walk_along(
    finding: Finding, follow: Callable[[Vector, Vector, frozenset[int] | None, int], list[TraceStep]]
) -> Walk:
    steps: list[TraceStep] = []
    made = [0]
    for number, (before, after, taken) in enumerate(finding.steps(), 1):
        steps += follow(before, after, taken, number)
        made.append(len(steps))
    return Walk(steps, made)


def follow(
    system: System,
    before: Vector,
    after: Vector,
    taken: frozenset[int] | None,
    number: int,
    fair: FairRuns,
    arrived: Callable[[Vector], bool],
) -> list[TraceStep]:
    """The step from one state to the next: one that takes exactly these fair actions, if it is known which."""
    steps = successors(system, before)
    for step in steps:
        if step.state is None or not arrived(step.state):
            continue
        if taken is None or taken_by(fair.fairness, first_action(step)) == taken:
            return trace_steps(step._replace(state=after))
    if not taken and arrived(before):
        if not steps and system.extends_finite_runs:
            return [TraceStep(None, after)]
        if fair.stutters:
            return [TraceStep(None, after, stutters=True)]
    raise SelfCheckError(f"the interpreter cannot make step {number} of the counterexample")


def confirm_closed(first: Vector, cycle: Sequence[Vector]) -> None:
    if not cycle or cycle[-1] != first:
        raise SelfCheckError("the cycle of the counterexample does not close")


def length_of(steps: int) -> str:
    return "a cycle of one step" if steps == 1 else f"a cycle of {steps:,} steps"


def confirm_fair(system: System, fairness: Fairness, finding: Finding, walk: Walk) -> tuple[Due, ...]:
    """What each fair action gets on the cycle of a finding."""
    if not fairness:
        return ()
    first = len(finding.path)
    taken = [(made + 1, walk.steps[made].action) for made in walk.made[first - 1 : -1]]
    enabled = [
        (made, enabled_actions(system, state))
        for made, state in zip(walk.made[first:], finding.states[first:], strict=True)
    ]
    return tuple(_due(fair, taken, enabled) for fair in fairness)


def _due(
    fair: FairAction, taken: Sequence[tuple[int, int | None]], enabled: Sequence[tuple[int, set[int | None]]]
) -> Due:
    for number, action in taken:
        if action in fair.actions:
            return Due(fair, "taken", number)
    disabled = [number for number, actions in enabled if not fair.actions & actions]
    if len(disabled) == len(enabled):
        return Due(fair, "never enabled", None)
    if fair.strength == "weak" and disabled:
        return Due(fair, "disabled", disabled[0])
    raise SelfCheckError(f"the cycle of the counterexample is not fair to {fair.name}")


def _confirm_unanswered(system: System, p: Proposition, q: Proposition, finding: Finding, walk: Walk) -> Violation:
    """Some p on the run is followed by no q."""
    asked: int | None = None
    try:
        for number, state in enumerate(finding.states):
            if evaluate(system, state, q.expression):
                if number >= len(finding.path):
                    raise SelfCheckError("q holds on the cycle of the counterexample")
                asked = None
            elif asked is None and evaluate(system, state, p.expression):
                asked = walk.made[number]
    except ExecutionError:
        raise SelfCheckError("a state of the counterexample has no valuation") from None
    if asked is None:
        raise SelfCheckError("p never waits for q on the counterexample")
    when = f"after step {asked}" if asked else "in the initial state"
    cycle = length_of(len(walk.steps) - walk.made[len(finding.path) - 1])
    return Violation("cycle", f"`{p.name}` holds {when}, and `{q.name}` never again: a run repeats {cycle} for ever")


def _confirm_unknown(system: System, propositions: Sequence[Proposition], state: Vector) -> Violation:
    for proposition in propositions:
        try:
            evaluate(system, state, proposition.expression)
        except ExecutionError as error:
            return cannot_be_evaluated(system, proposition, error)
    raise SelfCheckError("the interpreter can evaluate p and q in the state that was reported")
