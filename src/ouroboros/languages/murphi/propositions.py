"""More expressions over the names of a model: what the command line asks of it."""

from __future__ import annotations

import re
from dataclasses import replace

from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.asymmetry import asymmetry_of_proposition
from ouroboros.languages.murphi.code import Code
from ouroboros.languages.murphi.lower import Lowered
from ouroboros.languages.murphi.lower_statements import StatementLowering
from ouroboros.languages.murphi.marks import Marks
from ouroboros.languages.murphi.scope import FunctionName, Scope, TypeName, Value
from ouroboros.languages.murphi.types import Scalarset
from ouroboros.source import Span
from ouroboros.system.expressions import Constant, Expression
from ouroboros.system.model import Proposition, System


def read_proposition(lowered: Lowered, expression: ast.Expression, name: str, span: Span) -> tuple[Proposition, System]:
    """An expression over the model's names, and the system with the places where it can fail."""
    system = lowered.system
    failures = list(system.failures)
    elements = _elements_of_scalarsets(lowered.scope)
    scope = Scope(lowered.scope, elements)

    def read(marks: Marks | None) -> tuple[Expression, int]:
        code = Code(failures, pure=True, marks=marks)
        # What is marked is read for the marks alone, and must not be met again by others.
        reader = StatementLowering(code, {} if marks else lowered.procedures)
        condition = code.expression(lambda: reader.truth(expression, Scope(scope), "a property"))
        return condition, code.slots

    condition, slots = read(None)
    distinguishes = any(word in elements for word in re.findall(r"\w+", span.text))
    if system.symmetry and not distinguishes:
        marks, known = Marks(), len(failures)
        marked, _ = read(marks)
        tells = asymmetry_of_proposition(replace(system, failures=tuple(failures)), marks, marked, span)
        distinguishes = tells is not None
        del failures[known:]
    system = replace(system, failures=tuple(failures), locals=max(system.locals, slots))
    return Proposition(name, condition, span, distinguishes), system


def _elements_of_scalarsets(scope: Scope) -> dict[str, TypeName | Value | FunctionName]:
    """`T_1`, `T_2`, … for a scalarset T: only properties may tell its elements apart."""
    return {
        name: Value(entity.type, number=Constant(number))
        for entity in scope.names.values()
        if isinstance(entity, TypeName) and isinstance(entity.type, Scalarset)
        for number, name in enumerate(entity.type.names)
        if name not in scope.names
    }
