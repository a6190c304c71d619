"""Every field that an expression names is found, however it is named."""

from __future__ import annotations

from ouroboros.system.blocks import If, SetLocal
from ouroboros.system.expressions import (
    TRUE,
    Binary,
    Call,
    Check,
    Conditional,
    Constant,
    Element,
    Evaluate,
    Expression,
    Local,
    LocalArray,
    Procedure,
    Read,
    Unary,
    fields_in,
)
from ouroboros.system.layout import Field


def test_all_kinds_of_expressions() -> None:
    fields = [Field(f"field {number}", "globals", 8) for number in range(12)]
    reads = [Read(field) for field in fields]
    itself = Procedure("itself", 1)
    itself.body = (SetLocal(1, reads[0]), If(reads[1], (SetLocal(1, Call(itself, (reads[2],), 9, 0)),)))
    itself.result = reads[3]
    expression: Expression = Conditional(
        Check(reads[4], 0, 1, 0),
        Binary("+", Unary("-", reads[5]), Element(LocalArray("array", 3), reads[6], 0)),
        Evaluate((SetLocal(0, reads[7]),), Binary("and", Local(0), Call(itself, (reads[8],), 9, 0))),
    )
    array = Field("array", "globals", 8, length=3)
    expression = Binary("or", expression, Read(array, Evaluate((), reads[9]), 0))
    assert set(fields_in(expression)) == {*fields[:10], array}
    assert list(fields_in(Binary("+", TRUE, Constant(3)))) == []
