"""Instances of templates: which processes the names on the system line stand for."""

from __future__ import annotations

from collections.abc import Iterator

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.context import MOST_COMBINATIONS, Context, constant
from ouroboros.languages.uppaal.lower.declarations import Declarations
from ouroboros.languages.uppaal.lower.processes import Process, combinations
from ouroboros.languages.uppaal.lower.scope import Scope, TemplateName
from ouroboros.languages.uppaal.lower.statements import Lowering
from ouroboros.languages.uppaal.lower.storage import Place, Scalar, Variable
from ouroboros.languages.uppaal.lower.types import ChannelType, DataType, IntType, described, innermost
from ouroboros.languages.uppaal.read import ast
from ouroboros.source import Span
from ouroboros.system.expressions import Constant
from ouroboros.system.layout import Field, bits_for


class Instances:
    """Makes processes of the names on the system line."""

    def __init__(self, context: Context, scope: Scope) -> None:
        self.context = context
        self.scope = scope

    def of(self, name: ast.Name) -> dict[tuple[int, ...], Process]:
        """One process for each combination of the values of free parameters."""
        meaning = self.scope.resolve(name.name, name.span)
        if not isinstance(meaning, TemplateName):
            raise InputError(f"{name.name} is no template", name.span)
        found: dict[tuple[int, ...], Process] = {}
        for values in self._free(meaning, name):
            told = f"{name.name}({','.join(map(str, values))})" if values else name.name
            found[values] = self._process(meaning, told, values, name.span)
        return found

    def _free(self, meaning: TemplateName, name: ast.Name) -> Iterator[tuple[int, ...]]:
        ranges: list[IntType] = []
        lowering = Lowering(self.context, Scope(meaning.scope), "a parameter")
        for parameter in meaning.tree.parameters:
            kind = lowering.dimensioned(lowering.type_of(parameter.type), parameter.dimensions)
            if parameter.reference or not isinstance(kind, IntType):
                raise InputError(
                    f"{name.name} has the parameter {parameter.name}, which needs an argument",
                    name.span,
                    f"name an instance: {name.name}1 = {name.name}(…);",
                )
            ranges.append(kind)
        total = 1
        for kind in ranges:
            total *= kind.size
        if total > MOST_COMBINATIONS:
            raise InputError(f"{name.name} would stand for {total} processes", name.span, "give its parameters ranges")
        return combinations(ranges)

    def _process(self, meaning: TemplateName, name: str, values: tuple[int, ...], span: Span) -> Process:
        scope = Scope(meaning.scope)
        declarations = Declarations(self.context, scope, name, f"{name}.")
        lowering = declarations.lowering
        for parameter, value in zip(meaning.tree.parameters, values, strict=True):
            kind = lowering.type_of(parameter.type)
            assert isinstance(kind, IntType)
            _bind_value(declarations, meaning.tree, parameter, kind, Scalar(Constant(value), kind), parameter.span)
        tree = meaning.tree
        met: set[int] = set()
        while isinstance(tree, ast.Instantiation):
            if id(tree) in met:
                raise InputError(f"{tree.name} is an instance of itself", tree.span)
            met.add(id(tree))
            tree, scope = self._applied(tree, scope, name)
        return self._made(tree, name, scope, span)

    def _applied(
        self, tree: ast.Instantiation, scope: Scope, name: str
    ) -> tuple[ast.Template | ast.Instantiation, Scope]:
        """The template that is instantiated, and a scope where its parameters are the arguments."""
        meaning = scope.resolve(tree.template.name, tree.template.span)
        if not isinstance(meaning, TemplateName):
            raise InputError(f"{tree.template.name} is no template", tree.template.span)
        if len(meaning.tree.parameters) != len(tree.arguments):
            raise InputError(
                f"{tree.template.name} has {len(meaning.tree.parameters)} parameters, and not {len(tree.arguments)}",
                tree.span,
            )
        inner = Scope(meaning.scope)
        declarations = Declarations(self.context, inner, name, f"{name}.")
        outer = Lowering(self.context, scope, "an argument")
        for parameter, argument in zip(meaning.tree.parameters, tree.arguments, strict=True):
            kind = declarations.lowering.dimensioned(
                declarations.lowering.type_of(parameter.type), parameter.dimensions
            )
            if parameter.reference:
                _bind_reference(inner, parameter, kind, outer.place(argument), argument.span)
            elif isinstance(kind, IntType):
                _bind_value(declarations, meaning.tree, parameter, kind, outer.number(argument), argument.span)
            else:
                place = outer.place(argument)
                if not place.variable.constant or place.type != kind:
                    raise InputError(
                        f"{described(kind)} can only be passed by reference (&), or as a constant", argument.span
                    )
                inner.declare(parameter.name, place, parameter.span)
        return meaning.tree, inner

    def _made(self, template: ast.Template, name: str, scope: Scope, span: Span) -> Process:
        # Locations are numbered from zero; branchpoints are no locations.
        real = [each for each in template.locations if not each.branchpoint]
        if not real:
            real = [ast.Location(template.span, "_", "_")]
        numbers = {each.key: number for number, each in enumerate(real)}
        initial = template.initial if template.initial is not None else real[0].key
        if initial not in numbers:
            raise InputError(f"template {template.name} begins in a branchpoint", template.span)
        location = Field(
            name,
            name,
            bits_for(len(real)),
            initial=(numbers[initial],),
            value_names=tuple(each.name for each in real),
        )
        self.context.fields.append(location)
        body = Scope(scope)
        Declarations(self.context, body, name, f"{name}.").declare(template.declarations)
        # Queries know parameters and variables of a process alike.
        visible = Scope(body.outer, {**scope.names, **body.names})
        return Process(
            name,
            template,
            visible,
            location,
            {each.name: number for number, each in enumerate(real)},
            frozenset(number for number, each in enumerate(real) if each.urgent),
            frozenset(number for number, each in enumerate(real) if each.committed),
        )


def _bind_value(
    declarations: Declarations,
    tree: ast.Template | ast.Instantiation,
    parameter: ast.Variable,
    kind: IntType,
    value: Scalar,
    span: Span,
) -> None:
    """A parameter that nobody changes is its value; else it is a variable of the process."""
    number = constant(value.expression, span, "an argument")
    if kind.kind == "bool":
        number = int(number != 0)
    if not kind.low <= number <= kind.high:
        raise InputError(f"{parameter.name} is {described(kind)}, and {number} is not in it", span)
    if "const" in parameter.type.prefixes or isinstance(tree, ast.Instantiation) or not _changes(tree, parameter.name):
        declarations.scope.declare(parameter.name, Scalar(Constant(number), kind), parameter.span)
        return
    variable = Variable(parameter.name, kind, parameter.span)
    declarations.field(variable, (), f"{declarations.prefix}{parameter.name}", kind, (number,), array=False)
    declarations.scope.declare(parameter.name, variable, parameter.span)


def _bind_reference(scope: Scope, parameter: ast.Variable, kind: DataType, place: Place, span: Span) -> None:
    fits = place.type == kind or (isinstance(place.type, IntType) and isinstance(kind, IntType))
    if isinstance(innermost(kind), ChannelType):
        fits = isinstance(innermost(place.type), ChannelType)
    if not fits:
        raise InputError(f"{described(kind)} is expected here, and not {described(place.type)}", span)
    if not all(isinstance(index, Constant) for index in place.indices):
        raise InputError("which element is meant must be known before the system runs", span)
    scope.declare(parameter.name, place, parameter.span)


def _changes(tree: object, name: str) -> bool:
    """Whether some expression of a template may set a variable of this name."""
    match tree:
        case ast.Assignment(_, _, target) | ast.Increment(_, _, target) if _root(target) == name:
            return True
        case ast.Call(_, _, arguments) if any(_root(argument) == name for argument in arguments):
            return True
        case tuple() | list():
            return any(_changes(part, name) for part in tree)
    slots = getattr(type(tree), "__slots__", None)
    if slots is None or isinstance(tree, Span):
        return False
    return any(_changes(getattr(tree, each), name) for each in slots if each != "span")


def _root(tree: ast.Expression) -> str | None:
    while isinstance(tree, ast.Index | ast.Member):
        tree = tree.base
    return tree.name if isinstance(tree, ast.Name) else None
