"""The names that a Promela text declares."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ouroboros.languages.promela.read import ast, terms
from ouroboros.languages.promela.read.parse import parse_model
from ouroboros.languages.promela.read.trees import nodes
from ouroboros.outline import RECORD, Symbol, one_line, word_in
from ouroboros.source import Source, Span

_DEFINITION = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[^\n]*", re.MULTILINE)
_INLINE = re.compile(r"(?<!\w)inline\s+(\w+)\s*(\([^)]*\))")


def outline(source: Source) -> Iterator[Symbol]:
    """Raises InputError where the text is no model."""
    model = parse_model(source)
    yield from _before_reading(source)
    for names in model.symbols.values():
        for name in names:
            found = re.search(rf"(?<!\w){name}(?!\w)", source.text)
            if found:
                yield Symbol(name, "constant", Span(source, *found.span()), f"mtype {name}")
    for structure in model.structures:
        yield Symbol(structure.name, "type", structure.span, f"typedef {structure.name}")
        for variable in structure.fields:
            yield Symbol(variable.name, "variable", variable.span, _told(variable), RECORD)
    for variable in model.globals:
        if not variable.name.startswith("_"):
            yield Symbol(variable.name, "variable", variable.span, _told(variable))
    for process in model.processes:
        yield from _process(process)
    for claim in model.claims:
        yield Symbol(claim.name, "property", word_in(claim.span, claim.name), f"never {claim.name}")
    for formula in model.formulas:
        told = f"ltl {formula.name} {{ {one_line(formula.formula)} }}"
        yield Symbol(formula.name, "property", word_in(formula.span, formula.name), told)


def _before_reading(source: Source) -> Iterator[Symbol]:
    """Macros and inlines, of which nothing is left after reading."""
    for found in _DEFINITION.finditer(source.text):
        yield Symbol(found[1], "macro", Span(source, *found.span(1)), " ".join(found[0].split()))
    for found in _INLINE.finditer(source.text):
        yield Symbol(found[1], "function", Span(source, *found.span(1)), f"inline {found[1]}{found[2]}")


def _process(process: ast.Process) -> Iterator[Symbol]:
    scope = Span(process.span.source, process.span.start, process.end.end)
    parameters = "; ".join(map(_told, process.parameters))
    active = "" if not process.active else "active " if process.active == 1 else f"active [{process.active}] "
    told = process.name if process.kind == "init" else f"{active}proctype {process.name}({parameters})"
    yield Symbol(process.name, "process", process.span, told)
    for variable in process.variables:
        yield Symbol(variable.name, "variable", variable.span, _told(variable), process.name, scope)
    for node in nodes(process.body):
        if isinstance(node, ast.Labelled):
            name = node.label.name
            yield Symbol(name, "label", word_in(node.span, name), f"label {process.name}@{name}", process.name, scope)


def _told(variable: terms.Variable) -> str:
    size = "" if variable.size is None else f"[{variable.size}]"
    initial = variable.initial
    value = "" if not isinstance(initial, terms.Number) else f" = {initial.value}"
    return f"{variable.type.name} {variable.name}{size}{value}"
