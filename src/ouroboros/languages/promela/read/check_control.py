"""Where control must not go, and what must not stand where it does."""

from __future__ import annotations

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.ast import (
    Break,
    Declaration,
    Do,
    DStep,
    Else,
    Event,
    ForArray,
    ForChannel,
    ForRange,
    Goto,
    If,
    Label,
    Labelled,
    Option,
    Process,
    Sequence,
    Statement,
)
from ouroboros.languages.promela.read.terms import Run
from ouroboros.languages.promela.read.trees import nodes
from ouroboros.languages.promela.read.walk import inner, statements


def check_control(process: Process) -> None:
    """Whether each choice has one `else`, and no jump crosses the border of a d_step; raises InputError."""
    inside = _d_steps(process.body)
    for statement in statements(process.body):
        if isinstance(statement, If | Do):
            _check_else(statement)
        if isinstance(statement, DStep):
            _check_d_step(statement)
    _check_jumps(process.body, None, inside)


def check_events(events: Process) -> None:
    """A trace or notrace assertion consists of events; raises InputError."""
    for statement in statements(events.body):
        if not isinstance(statement, Event | If | Do | Goto | Break | Labelled | Declaration):
            raise InputError(
                f"this is no event, and a {events.kind} consists of events",
                statement.span,
                "write channel!… or channel?…",
            )
        if isinstance(statement, Event) and statement.channel.variable.process is not None:
            raise InputError("only events of global channels are seen", statement.channel.span)


def _check_else(choice: If | Do) -> None:
    found = [option for option in choice.options if _begins_with_else(option)]
    if len(found) > 1:
        word = "if" if isinstance(choice, If) else "do"
        raise InputError(
            f"a second else in one {word}", found[1].body[0].span, f"the first is in line {found[0].body[0].span.line}"
        )


def _begins_with_else(option: Option) -> bool:
    first = option.body[0]
    while isinstance(first, Labelled):
        first = first.statement
    return isinstance(first, Else)


def _check_d_step(d_step: DStep) -> None:
    for node in nodes(d_step.body):
        if isinstance(node, Run):
            raise InputError("run cannot stand in a d_step", node.span, "use atomic instead of d_step")


def _d_steps(body: Sequence, outer: DStep | None = None) -> dict[Label, DStep | None]:
    """The d_step that each label stands in; a label before a d_step stands outside."""
    found: dict[Label, DStep | None] = {}
    for statement in body:
        if isinstance(statement, Labelled):
            found[statement.label] = outer
        around = (outer or statement) if isinstance(statement, DStep) else outer
        for sequence in inner(statement):
            found |= _d_steps(sequence, around)
    return found


def _check_jumps(body: Sequence, d_step: DStep | None, labels: dict[Label, DStep | None], loop: bool = False) -> None:
    """`loop`: whether a loop of the same d_step is around."""
    for statement in body:
        if isinstance(statement, Goto) and labels[statement.label] is not d_step:
            raise InputError(
                f"{statement.label.name} is on the other side of the border of a d_step",
                statement.span,
                "a d_step is entered at its beginning and left at its end",
            )
        if isinstance(statement, Break) and d_step is not None and not loop:
            raise InputError(
                "this break leaves a d_step",
                statement.span,
                "a d_step is left at its end: put the break after it",
            )
        _check_inner_jumps(statement, d_step, labels, loop)


def _check_inner_jumps(
    statement: Statement, d_step: DStep | None, labels: dict[Label, DStep | None], loop: bool
) -> None:
    inside, around = d_step, loop
    if isinstance(statement, DStep) and d_step is None:
        inside, around = statement, False
    if isinstance(statement, Do | ForRange | ForArray | ForChannel):
        around = True
    for sequence in inner(statement):
        _check_jumps(sequence, inside, labels, around)
