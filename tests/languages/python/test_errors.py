"""What cannot be compiled is refused with its place, and with what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros import check, load
from ouroboros.errors import InputError, OuroborosError
from tests.languages.python.oracle import HEAD, model_of

LINES = len(HEAD.lstrip().split("\n"))

REFUSED = {
    "class M(Model):\n    x: int = 0\n": ("`int` has no bounds", "Int[LOWEST, HIGHEST]", 2),
    "class M(Model):\n    x: str = ''\n": ("`str` is no type of a state", "Literal", 2),
    "class M(Model):\n    x: bool\n    @action\n    def a(self):\n        self.x = 1 / 2\n": (
        "makes no integer",
        "//",
        5,
    ),
    "class M(Model):\n    x: bool\n    @action\n    def a(self):\n        try:\n            pass\n        finally:\n            pass\n": (
        "`try` cannot be compiled",
        "ask beforehand",
        5,
    ),
    "class M(Model):\n    a: Array[bool, 2]\n    b: Array[bool, 2]\n    @action\n    def f(self):\n        self.a = self.b\n": (
        "one object with two names",
        "store a copy",
        6,
    ),
    "class M(Model):\n    s: Set[Int[0, 2]]\n    @action\n    def f(self):\n        for x in self.s:\n            pass\n": (
        "the order in which Python goes through a set",
        "go through all values",
        5,
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_refusal(text: str, tmp_path: Path) -> None:
    message, hint, line = REFUSED[text]
    with pytest.raises(InputError) as raised:
        model_of(text, tmp_path)
    assert message in str(raised.value)
    assert hint in str(raised.value)
    assert f":{line + LINES - 1}:" in str(raised.value)


def test_definitions_and_names(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    text = "from ouroboros.python import *\n\n\nclass A(Model):\n    N = 2\n    x: Int[0, N] = 0\n"
    text += "    @action\n    def up(self):\n        self.x = (self.x + 1) % (self.N + 1)\n\n\nclass B(A):\n    pass\n"
    text += "\n\nclass C(A):\n    pass\n"
    file.write_text(text)
    with pytest.raises(OuroborosError, match="several models: B, C"):
        load(file)
    assert check(load(f"{file}::A", definitions={"N": "4"})).statistics.states == 5
    with pytest.raises(OuroborosError, match="no such constant"):
        load(f"{file}::A", definitions={"M": "4"})


def test_a_value_out_of_its_type_has_a_trace(tmp_path: Path) -> None:
    text = "class M(Model):\n    x: Int[0, 2] = 0\n    @action\n    def up(self):\n        self.x += 1\n"
    report = check(model_of(text, tmp_path))
    assert report.verdict == "violated"
    assert report.trace is not None
    assert len(report.trace.steps) == 3
    assert "is of the type Int[0, 2]" in report.trace.violation.message
