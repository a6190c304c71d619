"""No text makes the front end fail in any other way than by an InputError with a place."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.errors import InputError
from ouroboros.languages.murphi import load
from tests.languages.murphi.models import MODELS, loaded, source

GOOD = [
    (MODELS / f"{name}.m").read_text()
    for name in ("functions", "loops", "scalarsets", "unions", "multisets", "recursion", "copies", "aliased_index")
]
FRAGMENTS = sorted({word for text in GOOD for word in text.split()} | set("{}[]();,.-!?:0") | {"==>", "..", "/*", '"'})


def refusal(text: str) -> InputError | None:
    try:
        load(source(text))
    except InputError as error:
        return error
    return None


def accepts_or_refuses(text: str) -> None:
    error = refusal(text)
    if error:
        assert error.span is not None
        assert 0 <= error.span.start <= error.span.end <= len(text)
        assert str(error)


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_any_text(text: str) -> None:
    accepts_or_refuses(text)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(" ".join))
def test_words_of_the_language_in_any_order(text: str) -> None:
    accepts_or_refuses(text)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A good model, with a few words of it replaced, doubled or gone."""
    words = draw(st.sampled_from(GOOD)).split(" ")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(words) - 1))
        words[at : at + draw(st.integers(0, 3))] = draw(st.lists(st.sampled_from(FRAGMENTS), max_size=2))
        words = words or [""]
    return " ".join(words)


@settings(max_examples=300, deadline=None)
@given(mutated())
def test_good_models_gone_bad(text: str) -> None:
    accepts_or_refuses(text)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["(", "!", "- ", "x[", "1 - (", "1 + ", "f("]), st.integers(1, 3000))
def test_deep_nesting(opening: str, times: int) -> None:
    closing = {"(": ")", "x[": "]", "1 - (": ")", "f(": ")"}.get(opening, "")
    value = opening * times + "1" + closing * times
    accepts_or_refuses(
        "var x: array [0..1] of 0..1; function f(n: 0..1): 0..1; begin return n; end;"
        f" startstate begin clear x; end; rule begin x[0] := {value}; end;"
    )


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["x", "y", "[", "]", ".", "f", "1", "=", "+", "&", "!", "(", ")", "forall", "i", ":"])))
def test_any_expression(words: list[str]) -> None:
    model = loaded("var x: array [0..1] of boolean; y: record f: 0..1; end; startstate begin clear x; clear y; end;")
    with suppress(InputError):
        model.proposition(source(" ".join(words)))
