"""Statements as text.

A statement is told as it was written, but for one in the body of an inline: there it has the names of parameters, and
nobody could tell which variables they stand for. Such a one is written anew, and so are those that `for` and `select`
are short for.
"""

from __future__ import annotations

from typing import Any

from ouroboros.languages.promela.flow.elements import Basic, Death, Jump
from ouroboros.languages.promela.read import ast, terms
from ouroboros.languages.promela.read.trees import nodes


class Texts:
    """The texts of the statements of a process."""

    def __init__(self, process: ast.Process) -> None:
        self._body = process.body  # keeps the identities of its nodes
        inlined = (node for node in nodes(process.body) if isinstance(node, ast.Block) and node.inline)
        self._inlined = {id(node) for block in inlined for node in nodes(block.body)}
        counting = (node for node in nodes(process.body) if isinstance(node, ast.ForRange | ast.ForArray | ast.Select))
        self._counting = {id(node.span) for node in counting}

    def of(self, statement: Basic | Jump | Death | ast.DStep) -> str:
        match statement:
            case Death():
                return "-end-"
            case Jump():
                return "goto"
            case ast.Else():
                return "else"
            case ast.DStep():
                return "d_step"
        if id(statement) in self._inlined or id(statement.span) in self._counting:
            return _written(statement)
        return " ".join(statement.span.text.split())


def _written(node: Any) -> str:
    match node:
        case ast.Condition(_, expression):
            return _written(expression)
        case ast.Assignment(_, place, value):
            return f"{_written(place)} = {_written(value)}"
        case ast.Send(_, channel, in_order, arguments):
            return f"{_written(channel)}{'!!' if in_order else '!'}{_listed(arguments)}"
        case ast.Receive(_, channel, random, copy, arguments):
            received = f"<{_listed(arguments)}>" if copy else _listed(arguments)
            return f"{_written(channel)}{'??' if random else '?'}{received}"
        case ast.Assert(_, condition):
            return f"assert({_written(condition)})"
        case ast.Printf():
            return " ".join(node.span.text.split())
        case ast.Printm(_, value):
            return f"printm({_written(value)})"
        case ast.SetPriority(_, process, priority):
            return f"set_priority({_written(process)}, {_written(priority)})"
        case terms.Number(_, value):
            return str(value)
        case terms.Symbol(_, name) | terms.Predefined(_, name):
            return name
        case terms.Access(_, variable, at, members):
            parts = [(variable, at), *((member.field, member.at) for member in members)]
            return ".".join(field.name + ("" if index is None else f"[{_written(index)}]") for field, index in parts)
        case terms.Scratch():
            return "_"
        case terms.Match(_, value):
            return _written(value) if isinstance(value, terms.Number | terms.Symbol) else f"eval({_written(value)})"
        case terms.Unary(_, operator, operand):
            return f"{operator}{_inner(operand)}"
        case terms.Binary(_, operator, left, right):
            return f"{_inner(left)} {operator} {_inner(right)}"
        case terms.Conditional(_, condition, yes, no):
            return f"({_written(condition)} -> {_written(yes)} : {_written(no)})"
        case terms.Run(_, process, arguments):
            return f"run {process}({_listed(arguments)})"
        case terms.AskChannel(_, question, channel) | terms.AskProcess(_, question, channel):
            return f"{question}({_written(channel)})"
        case terms.Poll(_, channel, random, arguments):
            return f"{_written(channel)}{'??' if random else '?'}[{_listed(arguments)}]"
        case terms.RemoteLabel(_, process, pid, label):
            return f"{process}{_index(pid)}@{label}"
        case terms.RemoteVariable(_, process, pid, variable, at):
            return f"{process}{_index(pid)}:{variable.name}{_index(at)}"
    return " ".join(node.span.text.split())


def _inner(operand: terms.Expression) -> str:
    return f"({_written(operand)})" if isinstance(operand, terms.Binary) else _written(operand)


def _listed(arguments: tuple[Any, ...]) -> str:
    return ",".join(map(_written, arguments))


def _index(index: terms.Expression | None) -> str:
    return "" if index is None else f"[{_written(index)}]"
