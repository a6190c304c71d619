"""What a model asks of its runs: never claims, accept labels and progress labels, as automata.

A claim moves first, in the initial state, and then by turns with the system; where it cannot move, the run is of no
interest. A run violates it that passes an accepting state for ever, or reaches the end of the claim.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ouroboros.errors import InputError
from ouroboros.languages.promela.flow.elements import Element, Jump
from ouroboros.languages.promela.flow.flow import Flow, Group, Step
from ouroboros.languages.promela.lower.expressions import Meaning
from ouroboros.languages.promela.lower.fields import Fields
from ouroboros.languages.promela.read import ast
from ouroboros.system.expressions import TRUE, Expression, Unary, conjunction, disjunction, equal
from ouroboros.system.model import AutomatonStep, PropertyAutomaton

ACCEPTANCE, PROGRESS = "acceptance", "progress"


def automata(model: ast.Model, meaning: Meaning) -> Iterator[PropertyAutomaton]:
    fields = meaning.fields
    for claim in model.claims:
        yield _claim(claim, meaning)
    accepting = _labelled(fields, "accept")
    if accepting:
        yield _infinitely_often(
            ACCEPTANCE, disjunction(*accepting), False, "no run passes an accept label infinitely often"
        )
    # Without any label every cycle is one without progress; who asks whether there is a cycle at all is told.
    labelled = bool(_labelled(fields, "progress"))
    progress = _in_the_end_always(PROGRESS, meaning.no_progress(), "every infinite run passes progress labels for ever")
    yield replace(progress, only_on_request=not labelled)


def _labelled(fields: Fields, prefix: str) -> list[Expression]:
    return [
        equal(instance.location, number)
        for instance in fields.instances.values()
        for place, number in instance.numbers.items()
        if instance.flow.is_at(place, prefix)
    ]


def _infinitely_often(name: str, here: Expression, infinite: bool, meaning: str) -> PropertyAutomaton:
    steps = [
        AutomatonStep(origin, target, guard, text, None)
        for origin in (0, 1)
        for target, guard, text in ((1, here, f"{name} label"), (0, Unary("not", here), f"no {name} label"))
    ]
    places = ("elsewhere", "there")
    return PropertyAutomaton(name, places, 0, frozenset({1}), tuple(steps), meaning, infinite, stutters=True)


def _in_the_end_always(name: str, here: Expression, meaning: str) -> PropertyAutomaton:
    steps = (
        AutomatonStep(0, 0, TRUE, "true", None),
        AutomatonStep(0, 1, here, "np_", None),
        AutomatonStep(1, 1, here, "np_", None),
    )
    return PropertyAutomaton(name, ("any", "no progress"), 0, frozenset({1}), steps, meaning, True, stutters=True)


def _claim(claim: ast.Process, meaning: Meaning) -> PropertyAutomaton:
    flow = Flow(claim)
    places = list(flow.at)
    if not any(place.kind == "end" for place in places):
        end = len(places)
        names = [*map(_name, places), "violated"]
    else:
        end = next(number for number, place in enumerate(places) if place.kind == "end")
        names = list(map(_name, places))
    accepting = {number for number, place in enumerate(places) if flow.is_at(place, "accept")} | {end}
    steps: list[AutomatonStep] = [AutomatonStep(end, end, TRUE, "the end of the claim is reached", claim.end)]
    for number, place in enumerate(places):
        if number == end:
            continue
        (group,) = flow.at[place]
        for step, guard, fails in _guards(group, meaning):
            assert step.target
            target = places.index(step.target)
            text = " ".join(step.element.span.text.split())
            if fails is not None:
                steps.append(AutomatonStep(number, end, fails, text, step.element.span))
            steps.append(AutomatonStep(number, target, guard, text, step.element.span))
    return PropertyAutomaton(
        claim.name,
        tuple(names),
        places.index(flow.start),
        frozenset(accepting),
        tuple(steps),
        "the claim never matches",
    )


def _name(place: Element) -> str:
    if place.kind == "end":
        return "end"
    return next(iter(sorted(place.labels)), f"line {place.span.line}")


def _guards(group: Group, meaning: Meaning) -> Iterator[tuple[Step, Expression, Expression | None]]:
    """Each step with its guard, and for an assertion what makes it fail."""
    guards: list[Expression] = []
    for step in group.steps:
        guard, fails = _guard(step, meaning)
        guards.append(guard)
        yield step, guard, fails
    if group.otherwise:
        yield group.otherwise, conjunction(*(Unary("not", guard) for guard in guards)), None


def _guard(step: Step, meaning: Meaning) -> tuple[Expression, Expression | None]:
    match step.statement:
        case ast.Condition(_, expression):
            return meaning.lower(expression), None
        case ast.Assert(_, condition):
            holds = meaning.lower(condition)
            return holds, Unary("not", holds)
        case Jump() | ast.Printf() | ast.Printm():
            return TRUE, None
        case ast.DStep(span) | ast.Assignment(span) | ast.Send(span) | ast.Receive(span) | ast.SetPriority(span):
            raise InputError("a claim may look at the state, but not change it", span)
        case _:
            raise InputError("this cannot stand in a claim", step.element.span)
