"""A trace in words: one row a step, with only what changed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from ouroboros.source import Span
from ouroboros.system.choices import Part
from ouroboros.system.layout import Vector
from ouroboros.system.model import Failure
from ouroboros.trace.values import contents
from ouroboros.verdict.channels import buffers_of, told_messages
from ouroboros.verdict.trace import Trace, TraceStep


class Head(NamedTuple):
    """What a row tells of an action: the same wherever it is made."""

    processes: str
    place: str
    statement: str


class Row(NamedTuple):
    """A step, or one of the statements that it is made of."""

    number: int | None
    """None where the row goes on with the step of the one before."""
    head: Head
    changes: tuple[str, ...]
    automaton: str
    """The state that the automaton of the property goes to, if it is another one."""
    in_cycle: bool
    """Whether the step is one of those that are repeated for ever."""


_STUTTERS = Head("", "", "no action is taken, the run stutters")
_WAITS = Head("", "", "time passes")
_REPEATS = Head("", "", "no step is possible, the state repeats")


def initial_state(trace: Trace) -> Iterator[tuple[str, str]]:
    """The first state in full: each component that is there, and its contents."""
    system, state = trace.system, trace.initial
    buffers: dict[str, list[str]] = {}
    for buffer in buffers_of(system):
        buffers.setdefault(buffer.length.component, []).append(told_messages(buffer.messages(system, state)))
    shown: dict[str, list[str]] = {}
    for item, value in contents(trace, state).items():
        texts = shown.setdefault(item.component, [])
        if item.told != "value" or item.component in buffers:
            continue
        text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
        # The component stands in front already; a process's location bears its name alone.
        name = item.name.removeprefix(item.component + ".")
        texts.append(text if item.name == item.component else f"{name}: {text}")
    bare: list[str] = []
    for component, texts in shown.items():
        if trace.differences.exists(component, state):
            told = " ".join(buffers[component]) if component in buffers else ", ".join(texts)
            if told:
                yield component, told
            elif component in system.processes:
                bare.append(component)
    if bare:
        yield "also", ", ".join(bare)
    location = trace.location(state)
    if location is not None and trace.shows_automaton:
        yield "automaton", location


def standing(trace: Trace) -> Iterator[tuple[str, str]]:
    """Where nothing can happen any more: what each process would have to do next, if its place does not tell it."""
    if trace.violation.kind != "deadlock" or not trace.system.code:
        return
    *_, end = trace.states
    made: dict[str, int] = {}
    for step in trace.steps:
        assert step.state is not None  # only a step that fails leads nowhere
        for part in trace.parts(step):
            if part.number is not None:
                made[part.process] = part.number
            if not trace.differences.exists(part.process, step.state):
                # Another one may be made in its place.
                made.pop(part.process, None)
    for process in trace.system.processes:
        if not trace.differences.exists(process, end):
            continue
        name, last = process.partition("[")[0], made.get(process)
        lines = [
            line.part
            for line in trace.system.code
            if line.part.process == name and (line.first if last is None else last in line.after)
        ]
        places = ", ".join(dict.fromkeys(_line(trace, part.span) for part in lines if part.span))
        yield process, f"line {places}: {' | '.join(_one_line(part.text) for part in lines)}"


def rows(trace: Trace, steps: range | None = None) -> Iterator[Row]:
    """The rows of all steps, or of some of them, which are counted from one.

    A jump is none to tell of, unless the trace or its cycle begins or ends with it.
    """
    heads: dict[tuple[int, tuple[Part, ...]], Head] = {}
    between, loop, last = trace.differences.between, trace.loop_start, len(trace.steps)
    for number in range(1, last + 1) if steps is None else steps:
        step = trace.steps[number - 1]
        before = trace.before(number)
        in_cycle = loop is not None and number > loop
        automaton = _automaton(trace, before, step) if trace.shows_automaton else ""
        if step.action is None:
            head = _headless(trace, step)
        else:
            known = heads.get((step.action, step.parts))
            head = heads[step.action, step.parts] = known or head_of(trace, step)
        if step.within:
            yield from _inner_rows(trace, number, step, head, automaton, in_cycle)
            continue
        changes = tuple([change.text for change in between(before, step.state)]) if step.state is not None else ()
        if step.failure:
            changes = (_fails(head, step.failure),)
        if step.printed:
            changes = (*(f"prints: {line}" for line in step.printed.splitlines()), *changes)
        if not changes and not automaton and number != last and number - 1 != loop and _jumps(trace, step):
            continue
        if trace.moments:
            changes = (f"time {told_moment(trace.moments[number - 1])}", *changes)
        yield Row(number, head, changes, automaton, in_cycle)
        if (
            number == last
            and len(trace.moments) > last
            and trace.moments[last] != ([Fraction(0), *trace.moments])[last]
        ):
            yield Row(None, _WAITS, (f"time {told_moment(trace.moments[last])}",), "", in_cycle)


def told_moment(moment: Fraction) -> str:
    """As a decimal number where it is one."""
    rest = moment.denominator
    while rest % 2 == 0:
        rest //= 2
    return str(moment) if rest > 1 else str(float(moment)).removesuffix(".0")


def head_of(trace: Trace, step: TraceStep) -> Head:
    parts = trace.parts(step)
    if not parts:
        return _headless(trace, step)
    processes = list(dict.fromkeys(part.process for part in parts))
    return Head(
        (" → " if len(processes) == 2 else ", ").join(processes),
        ",".join(_line(trace, part.span) for part in parts if part.span),
        " | ".join(_one_line(part.text) for part in parts),
    )


def inner_heads(trace: Trace, step: TraceStep) -> list[Head]:
    """The statements of a step; where it is a handshake, those that the receiver makes after it."""
    process = trace.parts(step)[-1].process
    return [Head(process, _line(trace, inner.span), _one_line(inner.text)) for inner, _ in step.within]


def _inner_rows(
    trace: Trace, number: int, step: TraceStep, head: Head, automaton: str, in_cycle: bool
) -> Iterator[Row]:
    """A row for each statement of a step; only the first has its number."""
    heads = inner_heads(trace, step)
    begins = [state for _, state in step.within]
    shown: list[tuple[Head, Vector]] = list(zip(heads, begins, strict=True))
    if len(trace.parts(step)) > 1:
        shown.insert(0, (head, trace.before(number)))
    ends = [*(begin for _, begin in shown[1:]), step.state]
    for at, ((each, begin), end) in enumerate(zip(shown, ends, strict=True)):
        failure = step.failure if at == len(shown) - 1 else None
        changes = () if end is None else tuple([change.text for change in trace.differences.between(begin, end)])
        yield Row(
            None if at else number,
            each,
            (_fails(each, failure),) if failure else changes,
            automaton if at == len(shown) - 1 else "",
            in_cycle,
        )


def _fails(head: Head, failure: Failure) -> str:
    """What the statement says beside it already is not said again."""
    what, colon, which = failure.message.partition(": ")
    return f"fails: {what if colon and which in head.statement else failure.message}"


def _headless(trace: Trace, step: TraceStep) -> Head:
    if step.stutters:
        return _STUTTERS
    if step.repeats:
        return _REPEATS
    span = step.failure.span if step.failure else None
    return Head("", _line(trace, span) if span else "", "")


def _jumps(trace: Trace, step: TraceStep) -> bool:
    return step.action is not None and all(part.jumps for part in trace.parts(step))


def _automaton(trace: Trace, before: Vector, step: TraceStep) -> str:
    if step.state is None or trace.location(step.state) == trace.location(before):
        return ""
    return f"automaton: {trace.location(step.state)}"


def _line(trace: Trace, span: Span) -> str:
    """The line is enough where a model is one file."""
    return str(span.line) if span.source is trace.system.source else f"{span.source.name}:{span.line}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
