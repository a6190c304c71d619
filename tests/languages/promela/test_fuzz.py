"""No text makes the front end fail in any other way than by an InputError with a place."""

from __future__ import annotations

import re
from contextlib import suppress

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.parse import parse_expression
from tests.languages.promela.models import EVERYTHING, PREPROCESSED_AWAY, checked, source

TOKEN = re.compile(r"\w+|\s+|\"[^\"]*\"|[^\w\s]")
WORDS = sorted({*TOKEN.findall(EVERYTHING), "unless", "c_code", "c_expr", "$", "#if", "\n#", "/*", "'", "return", "U"})


def refusal(text: str) -> InputError | None:
    try:
        checked(text)
    except InputError as error:
        return error
    return None


def accepts_or_refuses(text: str) -> None:
    error = refusal(text)
    if error:
        assert error.span is not None
        assert 0 <= error.span.start <= error.span.end <= len(error.span.source.text)
        assert error.span.source.name == "model.pml"
        assert error.span.line >= 1
        assert error.span.column >= 1
        assert str(error)


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_any_text(text: str) -> None:
    accepts_or_refuses(text)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join))
def test_words_of_the_language_in_any_order(text: str) -> None:
    accepts_or_refuses(text)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A good model, with a few tokens of it replaced, doubled or gone."""
    tokens = TOKEN.findall(draw(st.sampled_from([EVERYTHING, PREPROCESSED_AWAY])))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(tokens) - 1))
        match draw(st.sampled_from(["delete", "double", "replace", "insert", "swap"])):
            case "delete":
                del tokens[at : at + draw(st.integers(1, 3))]
            case "double":
                tokens.insert(at, tokens[at])
            case "replace":
                tokens[at] = draw(st.sampled_from(WORDS))
            case "insert":
                tokens.insert(at, draw(st.sampled_from(WORDS)))
            case "swap":
                other = draw(st.integers(0, len(tokens) - 1))
                tokens[at], tokens[other] = tokens[other], tokens[at]
        tokens = tokens or [""]
    return "".join(tokens)


@settings(max_examples=300, deadline=None)
@given(mutated())
def test_good_models_gone_bad(text: str) -> None:
    accepts_or_refuses(text)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(
        ["(", "!", "- ", "y[", "1 - (", "1 + ", "1 && (0 || ", "(1 -> ", "{ ", "if :: ", "L: ", "atomic { "]
    ),
    st.integers(1, 3000),
)
@example("(", 3000)
@example("if :: ", 3000)
def test_deep_nesting(opening: str, times: int) -> None:
    closing = {"(": ")", "y[": "]", "1 - (": ")", "1 && (0 || ": ")", "(1 -> ": ": 0)", "{ ": "}", "if :: ": " fi"}
    closing["atomic { "] = "}"
    accepts_or_refuses(f"byte y[2]; init {{ {opening * times}1{closing.get(opening, '') * times} }}")


def test_inlines_that_grow_exponentially() -> None:
    levels = "".join(f"inline f{level}() {{ f{level - 1}(); f{level - 1}() }} " for level in range(1, 40))
    accepts_or_refuses(f"inline f0() {{ skip }} {levels} init {{ f39() }}")


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(["P", "@", "L", "x", "y", "[", "]", ":", "n", "==", "+", "&&", "(", ")", "2", "q", "?"]))
)
def test_any_expression(words: list[str]) -> None:
    model = checked("byte x, y[2]; chan q = [1] of { byte }; active proctype P() { byte n; L: n = 1 }")
    with suppress(InputError):
        parse_expression(source(" ".join(words)), model)
