"""The names that a Murphi text declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.parse import parse_model
from ouroboros.outline import RECORD, Symbol, one_line, word_in
from ouroboros.source import Source, Span


def outline(source: Source) -> Iterator[Symbol]:
    """Raises InputError where the text is no model."""
    model = parse_model(source)
    yield from _declarations(model.declarations, "", None)
    yield from _rules(model.rules)


def _declarations(declarations: Iterable[ast.Declaration], container: str, scope: Span | None) -> Iterator[Symbol]:
    for each in declarations:
        place = word_in(each.span, each.name)
        match each:
            case ast.ConstantDeclaration(_, name, value):
                yield Symbol(name, "constant", place, f"const {name}: {one_line(value.span)}", container, scope)
            case ast.TypeDeclaration(_, name, kind):
                yield Symbol(name, "type", place, f"type {name}: {one_line(kind.span)}", container, scope)
                yield from _values(kind)
            case ast.VariableDeclaration(_, name, kind):
                yield Symbol(name, "variable", place, f"var {name}: {one_line(kind.span)}", container, scope)
                yield from _values(kind)
            case ast.Function():
                yield from _function(each, place)


def _values(kind: ast.Type) -> Iterator[Symbol]:
    """The names of an enumeration, and of the fields of a record."""
    match kind:
        case ast.EnumType(_, names):
            for name in names:
                yield Symbol(name.name, "constant", name.span, f"{name.name}, one of {one_line(kind.span)}")
        case ast.RecordType(_, fields):
            for name, inner in fields:
                yield Symbol(name.name, "variable", name.span, f"{name.name}: {one_line(inner.span)}", RECORD)
                yield from _values(inner)
        case ast.ArrayType(_, index, element):
            yield from _values(index)
            yield from _values(element)
        case ast.MultisetType(_, _, element):
            yield from _values(element)


def _function(function: ast.Function, place: Span) -> Iterator[Symbol]:
    parameters = "; ".join(f"{each.name}: {one_line(each.type.span)}" for each in function.parameters)
    told = f"function {function.name}({parameters}): {one_line(function.result.span)}" if function.result else ""
    yield Symbol(function.name, "function", place, told or f"procedure {function.name}({parameters})")
    last = function.body[-1].span.end if function.body else function.span.end
    scope = Span(function.span.source, function.span.start, last)
    for each in function.parameters:
        detail = f"{'var ' if each.by_reference else ''}{each.name}: {one_line(each.type.span)}"
        yield Symbol(each.name, "variable", word_in(each.span, each.name), detail, function.name, scope)
    yield from _declarations(function.declarations, function.name, scope)


def _rules(rules: Iterable[ast.AnyRule]) -> Iterator[Symbol]:
    for each in rules:
        match each:
            case ast.Ruleset(_, _, inner) | ast.AliasRule(_, _, inner) | ast.Choose(_, _, _, inner):
                yield from _rules(inner)
            case ast.Rule(span, name) | ast.StartState(span, name) if name:
                kind = "rule" if isinstance(each, ast.Rule) else "startstate"
                yield Symbol(name, "rule", word_in(span, name), f'{kind} "{name}"')
            case ast.Property(span, kind, name) if name and kind != "assume":
                yield Symbol(name, "property", word_in(span, name), f'{kind} "{name}"')
            case ast.Response(span, name) if name:
                yield Symbol(name, "property", word_in(span, name), f'liveness "{name}"')
