"""No text makes the front end fail in any other way than by an InputError with a place."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.errors import InputError
from ouroboros.languages.dve import load
from tests.languages.dve.models import EVERYTHING, MUTEX, loaded, source

FRAGMENTS = [*sorted(set(EVERYTHING.split())), *"{}[]();,-!?$0", "=>", "/*"]


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
        assert error.span.line >= 1
        assert str(error)


@settings(max_examples=300, deadline=None)
@given(st.text())
def test_any_text(text: str) -> None:
    accepts_or_refuses(text)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(" ".join))
def test_words_of_the_language_in_any_order(text: str) -> None:
    accepts_or_refuses(text)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A good model, with a few words of it replaced, doubled or gone."""
    words = draw(st.sampled_from([MUTEX, EVERYTHING])).split(" ")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(words) - 1))
        words[at : at + draw(st.integers(0, 3))] = draw(st.lists(st.sampled_from(FRAGMENTS), max_size=2))
        words = words or [""]
    return " ".join(words)


@settings(max_examples=500, deadline=None)
@given(mutated())
def test_good_models_gone_bad(text: str) -> None:
    accepts_or_refuses(text)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["(", "not ", "- ", "x[", "1 - (", "1 + ", "1 and (1 or "]), st.integers(1, 3000))
def test_deep_nesting(opening: str, times: int) -> None:
    closing = {"(": ")", "x[": "]", "1 - (": ")", "1 and (1 or ": ")"}.get(opening, "")
    guard = opening * times + "1" + closing * times
    text = f"byte x[2]; process P {{ state a; init a; trans a -> a {{ guard {guard}; }}; }} system async;"
    accepts_or_refuses(text)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["P.a", "P.b", "P.n", "P->n", "x", "y[1]", "y[x]", "==", "+", "and", "(", ")", "2"])))
def test_any_expression(words: list[str]) -> None:
    model = loaded("byte x, y[2]; process P { byte n; state a, b; init a; } system async;")
    with suppress(InputError):
        model.proposition(source(" ".join(words)))
