"""Declarations of a section: names get types, and variables get storage with their initial values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.context import MOST_CLOCKS, Context, constant
from ouroboros.languages.uppaal.lower.scope import FunctionName, Scope, TemplateName, TypeName
from ouroboros.languages.uppaal.lower.statements import Lowering, by_field
from ouroboros.languages.uppaal.lower.storage import Clocks, Known, Slot, Variable, leaves
from ouroboros.languages.uppaal.lower.types import (
    ArrayType,
    ChannelType,
    ClockType,
    DataType,
    IntType,
    StructType,
    VoidType,
    described,
    innermost,
)
from ouroboros.languages.uppaal.read import ast
from ouroboros.source import Span
from ouroboros.system.expressions import LocalArray
from ouroboros.system.layout import Field


class Declarations:
    """Declares names in a scope; the fields of its variables belong to one component of the state."""

    def __init__(self, context: Context, scope: Scope, component: str, prefix: str = "") -> None:
        self.context = context
        self.scope = scope
        self.component = component
        self.prefix = prefix
        self.lowering = Lowering(context, scope, "an initial value")

    def declare(self, trees: Iterable[ast.Declaration]) -> None:
        for tree in trees:
            match tree:
                case ast.Typedef(span, of, name, dimensions):
                    kind = self.lowering.dimensioned(self.lowering.type_of(of), dimensions)
                    self.scope.declare(name, TypeName(kind, self._prefixes(of)), span)
                case ast.Function(span, _, name):
                    self.scope.declare(name, FunctionName(tree, self.scope), span)
                case ast.Variable():
                    self.variable(tree)
                case ast.ChannelPriorities(span):
                    if self.context.priorities:
                        raise InputError("channels have been given their priorities already", span)
                    self.context.priorities.append(tree)
                case ast.Template(span, name) | ast.Instantiation(span, name):
                    self.scope.declare(name, TemplateName(tree, self.scope), span)

    def _prefixes(self, tree: ast.Type) -> frozenset[str]:
        """Its own prefixes, and those of the type that it names."""
        if isinstance(tree.base, ast.Named):
            meaning = self.scope.find(tree.base.name)
            if isinstance(meaning, TypeName):
                return tree.prefixes | meaning.prefixes
        return tree.prefixes

    def variable(self, tree: ast.Variable) -> Variable:
        kind = self.lowering.dimensioned(self.lowering.type_of(tree.type), tree.dimensions)
        prefixes = self._prefixes(tree.type)
        variable = Variable(tree.name, kind, tree.span, meta="meta" in prefixes)
        inner = innermost(kind)
        if isinstance(inner, VoidType):
            raise InputError("a variable cannot be void", tree.span)
        if isinstance(inner, ClockType | ChannelType):
            if tree.initial:
                raise InputError(f"{described(inner)} cannot have an initial value", tree.initial.span)
            if prefixes & {"const", "meta"}:
                raise InputError(f"{described(inner)} can be neither const nor meta", tree.span)
            if isinstance(inner, ClockType):
                variable.storage[()] = self._clocks(variable)
        else:
            self._data(variable, tree.initial, "const" in prefixes)
        self.scope.declare(tree.name, variable, tree.span)
        return variable

    def _clocks(self, variable: Variable) -> Clocks:
        first = len(self.context.clocks)
        (leaf,) = leaves(variable.type)
        if first + leaf.elements > MOST_CLOCKS:
            raise InputError(f"the model has more than {MOST_CLOCKS} clocks", variable.span)
        for indices in _combinations(leaf.dimensions):
            name = variable.name + "".join(f"[{index}]" for index in indices)
            self.context.clocks.append(self.prefix + name)
        return Clocks(first)

    def _data(self, variable: Variable, initial: ast.Expression | None, is_constant: bool) -> None:
        variable.constant = is_constant
        values = self.initial_values(variable.type, initial, variable.span)
        for leaf in leaves(variable.type):
            assert isinstance(leaf.type, IntType)
            numbers = tuple(values[leaf.path])
            name = self.prefix + ".".join((variable.name, *leaf.path))
            if is_constant:
                variable.storage[leaf.path] = Known(numbers)
            elif variable.meta:
                if initial is not None and any(numbers):
                    message = "a meta variable is zero when a step begins: it cannot have another initial value"
                    raise InputError(message, variable.span, "assign the value where a step needs it")
                if leaf.dimensions:
                    variable.storage[leaf.path] = LocalArray(name, leaf.elements)
                else:
                    variable.storage[leaf.path] = Slot(self.context.meta_slots)
                    self.context.meta_slots += 1
            else:
                self.field(variable, leaf.path, name, leaf.type, numbers, bool(leaf.dimensions))

    def field(
        self, variable: Variable, path: tuple[str, ...], name: str, kind: IntType, numbers: tuple[int, ...], array: bool
    ) -> None:
        signed = kind.low < 0
        bits = max(kind.high.bit_length(), (~kind.low).bit_length() if signed else 0) + signed
        item = Field(name, self.component, max(1, bits), signed, len(numbers) if array else None, numbers)
        self.context.fields.append(item)
        variable.storage[path] = item

    def initial_values(
        self, kind: DataType, initial: ast.Expression | None, span: Span
    ) -> dict[tuple[str, ...], list[int]]:
        """The numbers of each leaf, in order."""
        if initial is not None and not isinstance(initial, ast.Braces) and not isinstance(kind, IntType):
            return self._copied_values(kind, initial)
        match kind:
            case IntType(low, high):
                if initial is None:
                    return {(): [min(max(0, low), high)]}
                number = self.lowering.number(initial)
                value = constant(number.expression, initial.span, "an initial value")
                if kind.kind == "bool":
                    value = int(value != 0)
                if not low <= value <= high:
                    raise InputError(f"the value {value} is not in the range from {low} to {high}", initial.span)
                return {(): [value]}
            case ArrayType(index, element):
                items: list[ast.Expression | None] = [None] * index.size
                if isinstance(initial, ast.Braces):
                    items = [value for _, value in initial.items]
                if len(items) != index.size:
                    raise InputError(f"{index.size} values are expected here, and not {len(items)}", span)
                found: dict[tuple[str, ...], list[int]] = {}
                for item in items:
                    for path, values in self.initial_values(element, item, span).items():
                        found.setdefault(path, []).extend(values)
                return found
            case StructType(fields):
                given = by_field(fields, initial) if isinstance(initial, ast.Braces) else {}
                return {
                    (name, *path): values
                    for name, inner in fields
                    for path, values in self.initial_values(inner, given.get(name), span).items()
                }
        raise InputError(f"{described(kind)} has no initial value", span)

    def _copied_values(self, kind: DataType, initial: ast.Expression) -> dict[tuple[str, ...], list[int]]:
        place = self.lowering.place(initial)
        if place.type != kind:
            raise InputError(f"{described(kind)} is expected here, and not {described(place.type)}", initial.span)
        found: dict[tuple[str, ...], list[int]] = {}
        for element in self.lowering.elements(place):
            value = constant(self.lowering.read(element, initial.span), initial.span, "an initial value")
            found.setdefault(element.path[len(place.path) :], []).append(value)
        return found


def _combinations(dimensions: tuple[IntType, ...]) -> Iterator[tuple[int, ...]]:
    if not dimensions:
        yield ()
        return
    for index in range(dimensions[0].low, dimensions[0].high + 1):
        for rest in _combinations(dimensions[1:]):
            yield (index, *rest)
