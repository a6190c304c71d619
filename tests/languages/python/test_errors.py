"""What cannot be compiled is refused with its place, and with what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.checking import check, explore
from ouroboros.errors import InputError, OuroborosError
from ouroboros.languages import load
from tests.languages.python.oracle import HEAD, model_of

REFUSED: dict[str, tuple[str, str]] = {
    """
    class M(Model):
        x: int = 0  # here
    """: ("`int` has no bounds", "Int[LOWEST, HIGHEST]"),
    """
    class M(Model):
        x: str = ''  # here
    """: ("`str` is no type of a state", "Literal"),
    """
    class M(Model):
        x: bool
        @action
        def a(self):
            self.x = 1 / 2  # here
    """: ("makes no integer", "//"),
    """
    class M(Model):
        x: bool
        @action
        def a(self):
            try:  # here
                pass
            finally:
                pass
    """: ("`try` cannot be compiled", "ask beforehand"),
    """
    class M(Model):
        a: Array[bool, 2]
        b: Array[bool, 2]
        @action
        def f(self):
            self.a = self.b  # here
    """: ("one object with two names", "store a copy"),
    """
    class M(Model):
        s: Set[Int[0, 2]]
        @action
        def f(self):
            for x in self.s:  # here
                pass
    """: ("the order in which Python goes through a set", "go through all values"),
    """
    class M(Model):
        a: Array[bool, 2]
        b: Array[bool, 2]  # here
        def __init__(self):
            super().__init__()
            self.b = self.a
        @action
        def f(self):
            self.a[0] = True
    """: ("an object that is somewhere else as well", "make one for each place"),
    """
    class M(Model):
        x: Int[0, 3]
        @process(2)
        def P(self, me):
            yield
            me = 1  # here
            self.x = me
    """: ("the parameter `me` is assigned to", "another name"),
    """
    class M(Model):
        a: Array[Int[0, 3], 2]
        @process
        def P(self):
            for e in self.a:  # here
                yield
        @action
        def f(self):
            self.a = [1, 2]
    """: ("is used after others have run", "name it again"),
    """
    @dataclass
    class R:
        n: Int[0, 3] = 0
        def __eq__(self, other):
            return True
    class M(Model):
        r: R  # here
        @action
        def f(self):
            self.r.n = 1
    """: ("has a method `__eq__` of its own", "another name"),
}
"""Models, each with a comment at the line of what is refused; and of the message, what is wrong and what to do."""


@pytest.mark.parametrize("text", REFUSED)
def test_a_refusal(text: str, tmp_path: Path) -> None:
    message, hint = REFUSED[text]
    with pytest.raises(InputError) as raised:
        model_of(text, tmp_path)
    assert message in str(raised.value)
    assert hint in str(raised.value)
    (line,) = [number for number, line in enumerate(text.split("\n")) if line.endswith("# here")]
    assert f":{len(HEAD.lstrip().splitlines()) + line + 1}:" in str(raised.value)


def test_definitions_and_names(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    text = "from ouroboros.python import *\n\n\nclass A(Model):\n    N = 2\n    x: Int[0, N] = 0\n"
    text += "    @action\n    def up(self):\n        self.x = (self.x + 1) % (self.N + 1)\n\n\nclass B(A):\n    pass\n"
    text += "\n\nclass C(A):\n    pass\n"
    file.write_text(text)
    with pytest.raises(OuroborosError, match="several models: B, C"):
        load(file)
    assert explore(load(f"{file}::A", definitions={"N": "4"})).statistics.states == 5
    with pytest.raises(OuroborosError, match="no such constant"):
        load(f"{file}::A", definitions={"M": "4"})


def test_a_value_out_of_its_type_has_a_trace(tmp_path: Path) -> None:
    text = "class M(Model):\n    x: Int[0, 2] = 0\n    @action\n    def up(self):\n        self.x += 1\n"
    report = check(model_of(text, tmp_path))
    assert report.verdict == "violated"
    assert report.trace is not None
    assert len(report.trace.steps) == 3
    assert "is of the type Int[0, 2]" in report.trace.violation.message
