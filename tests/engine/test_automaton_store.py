"""The minimal automaton of the states that were met, against a set and the residual languages of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.checking import check
from ouroboros.engine.stores import automaton
from ouroboros.engine.stores.automaton import WordAutomaton
from ouroboros.engine.stores.base import OLD
from ouroboros.engine.stores.choice import read_store
from ouroboros.engine.team import Team
from ouroboros.errors import UsageError
from ouroboros.languages import load_text
from ouroboros.memory import Budget, OutOfMemory
from ouroboros.source import Source
from ouroboros.system.layout import Field, Layout
from ouroboros.verdict.report import Verdict

Row = tuple[int, ...]


def letters(row: Row, places: list[int]) -> bytes:
    return bytes(row[place // 8] >> 8 * (place % 8) & 255 for place in places)


def residual_languages(words: set[bytes], length: int) -> int:
    """Those that are left after one letter or more: the nodes of the minimal automaton, but for the root."""
    languages = {frozenset(words)}
    count = 0
    for _ in range(length - 1):
        languages = {
            frozenset(word[1:] for word in language if word[0] == letter)
            for language in languages
            for letter in {word[0] for word in language}
        }
        count += len(languages)
    return count


@st.composite
def batches(draw: st.DrawFn) -> tuple[int, list[int], list[list[Row]]]:
    words = draw(st.integers(1, 3))
    places = sorted(draw(st.sets(st.integers(0, 8 * words - 1), min_size=1, max_size=7)))
    letter = st.sampled_from(draw(st.sampled_from([[0, 1], [0, 1, 2, 7, 255], list(range(256))])))

    def row(values: list[int]) -> Row:
        found = [0] * words
        for place, value in zip(places, values, strict=True):
            found[place // 8] |= value << 8 * (place % 8)
        return tuple(found)

    rows = st.lists(letter, min_size=len(places), max_size=len(places)).map(row)
    return words, places, draw(st.lists(st.lists(rows, max_size=60), max_size=6))


@given(batches())
@settings(deadline=None, max_examples=150)
def test_it_knows_what_was_added_and_is_minimal(given: tuple[int, list[int], list[list[Row]]]) -> None:
    words, places, arrivals = given
    store = WordAutomaton(words, Budget(1 << 28), places)
    known: dict[Row, int] = {}
    for rows in arrivals:
        ids, fresh = np.zeros(len(rows), np.uint32), np.zeros(len(rows) * words, np.uint64)
        expected, new = [], []
        for row in rows:
            expected.append(OLD if row in known else len(known))
            if row not in known:
                known[row] = len(known)
                new.append(row)
        found = store.insert(np.array(rows, np.uint64).reshape(-1), len(rows), ids, fresh)
        assert ids.tolist() == expected
        assert fresh[: found * words].reshape(-1, words).tolist() == [list(row) for row in new]
        assert store.count == len(known)
        assert store.nodes == (residual_languages({letters(row, places) for row in known}, len(places)) if known else 0)


def test_it_grows_by_itself_and_says_when_it_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automaton, "_FIRST_CHAINS", 2)
    random = np.random.default_rng(1)
    rows = random.integers(0, 1 << 40, 30_000, np.uint64)
    ids, fresh = np.zeros(rows.size, np.uint32), np.zeros(rows.size, np.uint64)
    store = WordAutomaton(1, Budget(1 << 28), range(5))
    assert store.insert(rows, rows.size, ids, fresh) == len(set(rows.tolist()))
    assert store.insert(rows, rows.size, ids, fresh) == 0
    small = WordAutomaton(1, Budget(200_000), range(5))
    with pytest.raises(OutOfMemory):
        small.insert(rows, rows.size, ids, fresh)


def test_only_bytes_with_fields_are_read() -> None:
    layout = Layout((Field("a", "p", 3), Field("b", "p", 17), Field("c", "q", 64), Field("d", "q", 8)))
    assert read_store("automaton").fitted(layout).places == (0, 1, 2, 3, *range(8, 16))


MODEL = """
byte a, b;
process P { state s, t; init s; trans s -> t { effect a = (a + 1) % 50; }, t -> s { guard b < 40; effect b = b + 1; }; }
process Q { state s; init s; trans s -> s { guard b > 3 && b % 7 == 3; effect b = b - 3; }; }
system async;
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_verdicts_and_ways_are_those_of_the_full_store(workers: int) -> None:
    model = load_text(Source("model.dve", MODEL))
    questions = ["a < 60", "b < 40", "!(a == 20 && b == 5)"]
    told = []
    for store in ("full", "automaton"):
        report = check(model, invariants=questions, deadlock=None, store=store, team=Team(workers))
        told.append([(each.verdict, len(each.trace.steps) if each.trace else None) for each in report.answers])
        assert all(each.certain or each.search.omission == 0 for each in report.answers)
    assert told[0] == told[1]
    assert {verdict for verdict, _ in told[0]} == {Verdict.HOLDS, Verdict.VIOLATED}


@pytest.mark.parametrize("asked", [{"ltl": ["F P.t"]}, {"responses": ["P.t ~> P.s"]}])
def test_what_it_cannot_do_is_refused(asked: dict[str, list[str]]) -> None:
    with pytest.raises(UsageError, match="--store automaton says of a state whether it was seen"):
        check(load_text(Source("model.dve", MODEL)), store="automaton", **asked)  # type: ignore[arg-type]  # a table has them
