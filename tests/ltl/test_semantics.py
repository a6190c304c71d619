"""The direct semantics on a few words that can be checked by hand."""

from __future__ import annotations

import pytest

from ouroboros.ltl import holds_on, parse_formula

NOTHING: set[str] = set()


@pytest.mark.parametrize(
    ("text", "prefix", "cycle", "holds"),
    [
        ("p", [{"p"}], [NOTHING], True),
        ("X p", [{"p"}], [NOTHING], False),
        ("X p", [NOTHING], [{"p"}], True),
        ("[]p", [{"p"}], [{"p"}], True),
        ("[]p", [{"p"}], [{"p"}, NOTHING], False),
        ("<>p", [], [NOTHING, NOTHING, {"p"}], True),
        ("<>p", [NOTHING], [NOTHING], False),
        ("[]<>p", [], [NOTHING, {"p"}], True),
        ("<>[]p", [], [NOTHING, {"p"}], False),
        ("<>[]p", [NOTHING], [{"p"}], True),
        ("p U q", [{"p"}, {"p"}], [{"q"}], True),
        ("p U q", [], [{"p"}], False),
        ("p W q", [], [{"p"}], True),
        ("p R q", [], [{"q"}], True),
        ("p R q", [{"q"}, {"p", "q"}], [NOTHING], True),
        ("p R q", [{"q"}, {"p"}], [NOTHING], False),
        ("p M q", [], [{"q"}], False),
        ("p M q", [{"q"}, {"p", "q"}], [NOTHING], True),
        ("p ^ q", [], [{"p"}], True),
        ("p <-> q", [], [{"p"}], False),
        ("p -> q", [], [NOTHING], True),
    ],
)
def test_meaning(text: str, prefix: list[set[str]], cycle: list[set[str]], holds: bool) -> None:
    assert holds_on(parse_formula(text), prefix, cycle) is holds
