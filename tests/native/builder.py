"""Small systems by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ouroboros.source import Source
from ouroboros.system.blocks import Assign, Statement
from ouroboros.system.choices import Action, All, Choice, Do
from ouroboros.system.expressions import TRUE, Expression
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.model import Failure, System
from tests.native.machine import Machine

RESULT = Field("result", "globals", 64, signed=True)


def action(*effect: Statement, guard: Expression = TRUE) -> Action:
    return Action((), effect, guard)


def system(
    fields: Sequence[Field],
    actions: Sequence[Action],
    choices: Choice | None = None,
    bits: Literal[32, 64] = 32,
    locals_: int = 0,
) -> System:
    """A system with failure sites 0 to 9; all actions compete unless a choice is given."""
    layout = Layout(tuple(fields))
    return System(
        name="by hand",
        language="none",
        source=Source("by hand", ""),
        layout=layout,
        initial=(layout.initial(),),
        actions=tuple(actions),
        choices=choices or All(tuple(Do(index) for index in range(len(actions)))),
        failures=tuple(Failure("assertion", f"site {site}", None) for site in range(10)),
        evaluation_bits=bits,
        locals=locals_,
    )


def state(of: System, values: Mapping[Field, int | Sequence[int]]) -> Vector:
    words = [0] * of.layout.words
    for item, value in values.items():
        for index, element in enumerate([value] if isinstance(value, int) else value):
            of.layout.write(words, item, index, element)
    return tuple(words)


def results(
    expressions: Sequence[Expression], values: Mapping[Field, int | Sequence[int]], bits: Literal[32, 64]
) -> list[int | str]:
    """What machine and interpreter both find for each expression: a value, or the site where it fails."""
    wanted = system((RESULT, *values), [action(Assign(RESULT, None, each)) for each in expressions], bits=bits)
    steps = Machine(wanted).assert_agrees(state(wanted, values))
    return [
        wanted.layout.read(step.state, RESULT) if step.state is not None else f"fails at {step.failure}"
        for step in steps
    ]
