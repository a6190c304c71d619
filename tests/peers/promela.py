"""A System as Promela text: one process, one guarded command for each action.

Every field is a global variable and the process has a single control state, so Spin's states are exactly the system's.
"""

from __future__ import annotations

from collections.abc import Iterator

from ouroboros.system.blocks import Assign, Block, If, SetLocal
from ouroboros.system.choices import All, Choice, Do, Switch, When
from ouroboros.system.expressions import Binary, Conditional, Constant, Expression, Local, Read, Unary
from ouroboros.system.layout import Field
from ouroboros.system.model import System

_OPERATORS = {"and": "&&", "or": "||"}


class _Text:
    def __init__(self, system: System) -> None:
        self.system = system
        self.names = {field: f"v{number}" for number, field in enumerate(system.layout.fields)}

    def model(self) -> str:
        commands = "\n".join(
            f"  :: d_step {{ ({guard}) -> {self.block(self.system.actions[index].effect)} }}"
            for guard, index in self.commands(self.system.choices, "1")
        )
        return "\n".join(
            [
                *(self.declaration(field) for field in self.system.layout.fields),
                *(f"hidden int t{slot};" for slot in range(self.system.locals)),
                f"init {{ d_step {{ {self.initial()} }} do\n{commands}\n  od }}",
            ]
        )

    def declaration(self, field: Field) -> str:
        kind = {(8, False): "byte", (16, True): "short"}.get((field.bits, field.signed), "byte")
        return f"{kind} {self.names[field]}{f'[{field.length}]' if field.length else ''};"

    def initial(self) -> str:
        (vector,) = self.system.initial
        statements = ["skip"]
        for field in self.system.layout.fields:
            for index in range(field.elements):
                place = f"{self.names[field]}[{index}]" if field.length else self.names[field]
                statements.append(f"{place} = {self.system.layout.read(vector, field, index)}")
        return "; ".join(statements)

    def commands(self, choice: Choice, path: str) -> Iterator[tuple[str, int]]:
        """Each action with the condition under which the choice tree comes to it, and its own guard."""
        match choice:
            case Do(index):
                yield f"{path} && {self.value(self.system.actions[index].guard)}", index
            case All(children):
                for child in children:
                    yield from self.commands(child, path)
            case Switch(field, cases):
                for value, child in cases:
                    yield from self.commands(child, f"{path} && {self.names[field]} == {value}")
            case When(guard, child):
                yield from self.commands(child, f"{path} && {self.value(guard)}")
            case _:
                raise NotImplementedError("no model here needs priorities")

    def block(self, block: Block) -> str:
        statements = ["skip"]
        for statement in block:
            match statement:
                case Assign(field, at, value):
                    place = self.names[field] if at is None else f"{self.names[field]}[{self.value(at)}]"
                    statements.append(f"{place} = {self.value(value)}")
                case SetLocal(slot, value):
                    statements.append(f"t{slot} = {self.value(value)}")
                case If(condition, then, otherwise):
                    statements.append(
                        f"if :: {self.value(condition)} -> {self.block(then)} :: else -> {self.block(otherwise)} fi"
                    )
                case _:
                    raise NotImplementedError("no model here has loops or assertions inside of steps")
        return "; ".join(statements)

    def value(self, expression: Expression) -> str:
        match expression:
            case Constant(value):
                return f"({value})"
            case Read(field, at):
                return self.names[field] if at is None else f"{self.names[field]}[{self.value(at)}]"
            case Local(slot):
                return f"t{slot}"
            case Unary(operator, operand):
                return f"({'!' if operator == 'not' else operator}{self.value(operand)})"
            case Binary(operator, left, right):
                return f"({self.value(left)} {_OPERATORS.get(operator, operator)} {self.value(right)})"
            case Conditional(condition, then, otherwise):
                return f"({self.value(condition)} -> {self.value(then)} : {self.value(otherwise)})"


def promela(system: System) -> str:
    return _Text(system).model()
