"""What Spin refuses although the grammar allows it, in the words of the language."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.ast import (
    Assert,
    Assignment,
    Condition,
    Exclusive,
    Labelled,
    Model,
    Process,
    Receive,
    Send,
    Statement,
)
from ouroboros.languages.promela.read.check_control import check_control, check_events
from ouroboros.languages.promela.read.terms import (
    Access,
    AskChannel,
    Basic,
    Binary,
    Channel,
    Expression,
    Number,
    Poll,
    Predefined,
    RemoteLabel,
    Run,
    Structure,
    Symbol,
    Variable,
    basic_types,
)
from ouroboros.languages.promela.read.trees import nodes
from ouroboros.languages.promela.read.walk import statements


def check_model(model: Model) -> None:
    """Raises InputError where the model makes no sense."""
    labels = _labels(model)
    for variable in model.globals:
        _check_initial(variable)
        if variable.initial is not None:
            _check_expressions(variable.initial, labels)
    for process in (*model.processes, *model.claims):
        check_control(process)
        for parameter in process.parameters:
            _check_parameter(parameter)
        for variable in process.variables:
            _check_initial(variable)
        if process.provided is not None:
            _check_provided(process.provided)
        _check_expressions((process.body, process.provided), labels)
        _check_probes(process)
        for statement in statements(process.body):
            _check_statement(statement)
        for node in nodes(process.body):
            if isinstance(node, Run):
                _check_run(node, model)
    for process in model.processes:
        for node in nodes((process.body, process.provided)):
            if isinstance(node, Predefined) and node.name == "np_":
                raise InputError("np_ is for never claims", node.span)
    for claim in model.claims:
        _check_claim(claim)
    if model.events is not None:
        check_events(model.events)
    _check_exclusive(model)


def check_expression(expression: Expression, model: Model) -> None:
    """The same for an expression that stands alone, in a formula; raises InputError."""
    _check_expressions(expression, _labels(model))


def _labels(model: Model) -> dict[str, set[str]]:
    """The labels of each process."""
    return {
        process.name: {node.label.name for node in statements(process.body) if isinstance(node, Labelled)}
        for process in model.processes
    }


def _check_expressions(tree: Any, labels: dict[str, set[str]]) -> None:
    for node in nodes(tree):
        match node:
            case RemoteLabel(process=process, label=label) if label not in labels[process]:
                close = get_close_matches(label, sorted(labels[process]), n=1)
                raise InputError(
                    f"{process} has no label {label}", node.span, f"did you mean {close[0]}?" if close else None
                )
            case Poll(channel=channel, arguments=arguments):
                _check_message(channel, len(arguments), node.span)


def _check_statement(statement: Statement) -> None:
    match statement:
        case Send(channel=channel, arguments=arguments):
            _check_message(channel, len(arguments), statement.span)
            _refuse_run(arguments, "a message")
        case Receive(channel=channel, arguments=received):
            _check_message(channel, len(received), statement.span)
            _check_once(statement)
        case Assignment():
            _check_assignment(statement)
        case Condition(expression=expression) if not isinstance(expression, Run):
            _refuse_run(expression, "a longer condition")


def _check_message(channel: Access, given: int, span: Any) -> None:
    """Too many values are an error; too few are not: what is missing is 0, or is not looked at."""
    made = channel.last.initial
    if isinstance(made, Channel) and given > len(made.fields):
        raise InputError(f"a message on {channel.last.name} has {len(made.fields)} fields, and {given} are given", span)


def _check_once(receive: Receive) -> None:
    """One variable for two fields would get the second."""
    seen: set[Variable] = set()
    for argument in receive.arguments:
        if isinstance(argument, Access) and argument.at is None and not argument.members:
            if argument.variable in seen:
                raise InputError(f"{argument.variable.name} is to take two fields of the message", argument.span)
            seen.add(argument.variable)


def _check_initial(variable: Variable) -> None:
    if isinstance(variable.type, Basic) and isinstance(variable.initial, Symbol):
        _check_subtype(variable.type, variable.initial, variable.name)


def _check_assignment(assignment: Assignment) -> None:
    place, value = assignment.place, assignment.value
    if not isinstance(place, Access) or isinstance(place.last.type, Structure):
        return
    kind = place.last.type
    if kind.name == "chan" and isinstance(value, Number) and not place.members:
        raise InputError("a channel has no number", value.span, "assign another channel")
    _check_subtype(kind, value, place.last.name)
    if isinstance(value, Access | Run | AskChannel | Poll):
        return
    for node in nodes(value):
        if isinstance(node, Binary):
            for operand in (node.left, node.right):
                if isinstance(operand, Access) and operand.last.type == Basic("chan"):
                    raise InputError(f"{operand.last.name} is a channel, and no number", operand.span)


def _check_subtype(kind: Basic, value: Expression, name: str) -> None:
    if kind.name == "mtype" and kind.subtype and isinstance(value, Symbol) and value.subtype != kind.subtype:
        belongs = f"mtype:{value.subtype}" if value.subtype else "mtype"
        raise InputError(f"{value.name} is of {belongs}, and {name} of mtype:{kind.subtype}", value.span)


def _check_run(run: Run, model: Model) -> None:
    known = [process.name for process in model.processes if process.kind == "proctype"]
    if run.process not in known:
        close = get_close_matches(run.process, known, n=1)
        raise InputError(
            f"there is no proctype {run.process}", run.span, f"did you mean {close[0]}?" if close else None
        )
    parameters = model.process(run.process).parameters
    expected = sum(len(list(basic_types(parameter.type))) for parameter in parameters)
    if len(run.arguments) != expected:
        listed = "; ".join(f"{_type_name(parameter)} {parameter.name}" for parameter in parameters)
        raise InputError(
            f"{run.process} takes {expected} arguments, and {len(run.arguments)} are given",
            run.span,
            f"it is declared as {run.process}({listed})",
        )
    _refuse_run(run.arguments, "an argument of run")
    if all(isinstance(parameter.type, Basic) for parameter in parameters):
        for parameter, argument in zip(parameters, run.arguments, strict=True):
            assert isinstance(parameter.type, Basic)
            _check_subtype(parameter.type, argument, parameter.name)


def _type_name(variable: Variable) -> str:
    return variable.type.name


def _refuse_run(tree: Any, where: str) -> None:
    for node in nodes(tree):
        if isinstance(node, Run):
            raise InputError(
                f"run cannot be a part of {where}", node.span, "run a process in a step of its own, or assign its pid"
            )


def _check_parameter(parameter: Variable) -> None:
    if isinstance(parameter.type, Structure):
        for field in _fields(parameter.type):
            if field.size is not None:
                raise InputError(
                    f"{parameter.name} is a parameter, and cannot have an array in it ({field.name})", parameter.span
                )


def _fields(structure: Structure) -> Iterator[Variable]:
    for field in structure.fields:
        yield field
        if isinstance(field.type, Structure):
            yield from _fields(field.type)


def _check_provided(condition: Expression) -> None:
    for node in nodes(condition):
        if isinstance(node, Access) and node.variable.process is not None:
            raise InputError(
                f"{node.variable.name} is local, and provided looks at what is global",
                node.span,
                "use a global variable",
            )
        if isinstance(node, Run):
            raise InputError("run cannot be a part of provided", node.span)


_CONTRARY = {"empty": "nempty", "nempty": "empty", "full": "nfull", "nfull": "full"}


def _check_probes(process: Process) -> None:
    """`empty(q)` and its like stand alone or are joined by `&&` and `||`: Spin's reduction relies on that."""
    joined: set[int] = set()
    waiting: list[Expression | None] = [process.provided]
    for statement in statements(process.body):
        match statement:
            case Condition(expression=whole) | Assignment(value=whole) | Assert(condition=whole):
                waiting.append(whole)
    while waiting:
        part = waiting.pop()
        if isinstance(part, Binary) and part.operator in ("&&", "||"):
            waiting += [part.left, part.right]
        joined.add(id(part))
    for node in nodes((process.body, process.provided)):
        if isinstance(node, AskChannel) and node.question != "len" and id(node) not in joined:
            raise InputError(
                f"{node.question} can be joined by && and || only",
                node.span,
                f"for the contrary, write {_CONTRARY[node.question]}({node.channel.span.text})",
            )


def _check_claim(claim: Process) -> None:
    """A claim watches: it has no variables and exchanges no messages."""
    if claim.variables:
        raise InputError("a claim cannot have variables", claim.variables[0].span, "declare a global variable instead")
    for node in statements(claim.body):
        if isinstance(node, Send | Receive):
            raise InputError("a claim cannot send or receive", node.span, "poll with ?[ ] to look at a channel")


def _check_exclusive(model: Model) -> None:
    """Only one process can have the only right to a channel."""
    owners: dict[tuple[str, Variable], str] = {}
    for process in model.processes:
        for statement in statements(process.body):
            if not isinstance(statement, Exclusive):
                continue
            for channel in statement.channels:
                if channel.at is not None or channel.members:
                    raise InputError(f"{statement.operation} takes a channel by its name alone", channel.span)
                owner = owners.setdefault((statement.operation, channel.variable), process.name)
                if owner != process.name:
                    raise InputError(
                        f"{owner} has declared {statement.operation} {channel.variable.name} already", channel.span
                    )
