"""What a model says of itself is read from its first comment, whatever the comment signs."""

from __future__ import annotations

import pytest

from ouroboros.errors import InputError
from ouroboros.expectations.header import Count, Header, read_header
from ouroboros.source import Source

LINES = [
    "A lock: it is safe.",
    "Still somebody may starve.",
    "",
    "More of that.",
    "topic: mutual exclusion",
    "check: --ltl '[] a' -D N=2",
    'expect: violated "[] a" by a cycle, 1,234 states',
    "expect: holds deadlock",
    "check:",
    "expect: violated in 1 step: index out of range",
    "states: 12  transitions: 34",
    "count: --symmetry",
    "states: 5  depth: 3",
]


def header(text: str) -> Header:
    return read_header(Source("model", text))


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"// {line}\n" for line in LINES) + "byte x; // expect: nothing",
        "".join(f"-- {line}\n" for line in LINES) + "var x: boolean;",
        "/* " + "\n * ".join(LINES) + "\n */\nbyte x;",
        "".join(f"/* {line} */\n" for line in LINES) + "byte x;",
        "/*\n" + "\n".join(LINES) + "\n*/\nbyte x;\n/* check: -x */",
    ],
    ids=["slashes", "dashes", "stars", "a comment a line", "plain"],
)
def test_all_comments(text: str) -> None:
    found = header(text)
    assert found.lesson == "A lock: it is safe.\nStill somebody may starve.\n\nMore of that."
    assert found.summary == "A lock: it is safe."
    assert found.topic == "mutual exclusion"
    first, second = found.checks
    assert first.options == ("--ltl", "[] a", "-D", "N=2")
    cycle, holds = first.expected
    assert (cycle.verdict, cycle.property, cycle.cycle, cycle.states) == ("violated", "[] a", True, 1234)
    assert (holds.verdict, holds.property, holds.cycle) == ("holds", "deadlock", False)
    assert second.options == ()
    (failing,) = second.expected
    assert (failing.property, failing.steps, failing.reason) == (None, 1, "index out of range")
    plain, symmetric = found.counts
    assert (plain.options, plain.numbers) == ((), {"states": 12, "transitions": 34})
    assert isinstance(symmetric, Count)
    assert (symmetric.options, symmetric.numbers) == (("--symmetry",), {"states": 5, "depth": 3})


def test_a_model_that_says_nothing() -> None:
    assert not header("byte x;\n// check:\n").expects
    assert header("// Only a lesson.\n\n\nbyte x;").lesson == "Only a lesson."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// check:\n// expect: fine", "model:2:1: this is nothing to expect"),
        ("// expect: holds", "model:1:1: `expect:` follows no `check:`"),
        ("// check: --ltl '[] a", "model:1:1: these are no options: No closing quotation"),
        ("// check: --safety\n", "model: `check: --safety` says not what to `expect:`"),
        ("// states: 3  colours: 4", "model:1:1: these are no numbers to expect"),
    ],
)
def test_what_cannot_be_understood_is_an_error(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        header(text)
    assert str(caught.value).startswith(message)
