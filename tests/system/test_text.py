"""A System as text: what `ouro info --ir` shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.languages import load
from ouroboros.system.expressions import Binary, Conditional, Constant, Local, Unary
from ouroboros.system.layout import Field, Layout
from ouroboros.system.text import expression_text, layout_line, system_text

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_expressions_have_brackets() -> None:
    total = Binary("+", Local(0), Binary("*", Constant(2), Local(1), 7))
    assert expression_text(total) == "t0 + (2 * t1 !7)"
    assert (
        expression_text(Conditional(Unary("not", Local(0)), total, Constant(-1)))
        == "(not t0) ? (t0 + (2 * t1 !7)) : -1"
    )


def test_places_of_fields() -> None:
    large = Field("large", "globals", 5, length=10, initial=(0,) * 10)
    small = Field("small", "globals", 3, length=4, initial=(0,) * 4, signed=True)
    flag = Field("flag", "globals", 1)
    layout = Layout((large, small, flag))
    shown = {field.name: layout_line(field, layout) for field in layout.fields}
    assert shown == {
        "large": "large[10]: unsigned 5 at 0.0-4 … 0.45-49",
        "small": "small[4]: signed 3 at 0.50-52 … 0.59-61",
        "flag": "flag: unsigned 1 at 0.62",
    }


def test_elements_of_a_large_array_have_gaps() -> None:
    array = Field("array", "globals", 5, length=20, initial=(0,) * 20)
    assert layout_line(array, Layout((array,))) == "array[20]: unsigned 5 at 0.0-4 … 2.24-28, every 8"


def test_a_system_as_text() -> None:
    lines = list(system_text(load(EXAMPLES / "dve" / "philosophers.dve").system))
    text = "\n".join(lines)
    assert "  1 words" not in text
    assert [line for line in lines if line and not line.startswith(" ")][1:] == [
        "layout",
        "initial",
        "actions",
        "choices",
    ]
    assert "switch Socrates" in text
    assert "case thinking" in text
    assert "fork[0] := 1" in text


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/*.[dpm]*")), ids=lambda path: path.name)
def test_every_action_and_failure_is_shown(path: Path) -> None:
    system = load(path).system
    lines = [line.strip() for line in system_text(system)]
    for number in range(len(system.actions)):
        assert any(line.startswith(f"action {number} ") for line in lines)
        assert f"do action {number}" in lines
    assert sum(line.startswith("!") for line in lines) == len(system.failures)
