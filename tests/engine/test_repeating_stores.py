"""Stores for states of which a part repeats: against a dictionary, and against a list of what covers what."""

from __future__ import annotations

from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.engine.stores import keys
from ouroboros.engine.stores.base import OLD
from ouroboros.engine.stores.choice import Repeating, read_store
from ouroboros.engine.stores.covering import CoveringStore
from ouroboros.engine.stores.sharing import SharingStore
from ouroboros.memory import Budget, OutOfMemory
from ouroboros.system.layout import Field, Layout, Vector

MEMORY = 1 << 24
MOST = 64


def _numbers(part: tuple[int, ...], bits: int) -> list[int]:
    lanes = []
    for word in part:
        for shift in range(0, 64, bits):
            value = word >> shift & (1 << bits) - 1
            lanes.append(value - (value >> bits - 1 << bits))
    return lanes


@st.composite
def cases(draw: st.DrawFn) -> tuple[Repeating, int, list[list[Vector]]]:
    """Few different parts, and few different rests, in many states; the parts begin and end in any place."""
    size, before, behind = draw(st.integers(1, 3)), draw(st.integers(0, 2)), draw(st.integers(0, 2))
    before += before + behind == 0
    bits = draw(st.sampled_from((8, 16, 32)))
    others = [*range(before), *range(before + size, before + size + behind)]
    home = draw(st.sampled_from((*others, None)))
    number = st.sampled_from((0, 1, 2, (1 << bits - 1) - 1, 1 << bits - 1, (1 << bits) - 1))
    part = st.lists(number, min_size=size * 64 // bits, max_size=size * 64 // bits).map(
        lambda lanes: tuple(
            sum(lane << at * bits for at, lane in enumerate(lanes[word * 64 // bits : (word + 1) * 64 // bits]))
            for word in range(size)
        )
    )
    parts = draw(st.lists(part, min_size=1, max_size=6))
    # Parts that cover each other are rare among those.
    parts += [tuple(word | sum(1 << shift for shift in range(0, 64, bits)) for word in each) for each in parts]

    def vector(part: tuple[int, ...], rest: list[int]) -> Vector:
        words = [*rest[:before], *part, *rest[before:]]
        if home is not None:
            words[home] &= (1 << 32) - 1
        return tuple(words)

    rest = st.lists(st.sampled_from((0, 1, 1 << 40)), min_size=len(others), max_size=len(others))
    vectors = st.builds(vector, st.sampled_from(parts), rest)
    batches = draw(st.lists(st.lists(vectors, max_size=MOST), max_size=6))
    return Repeating(before, before + size, bits, home), before + size + behind, batches


def _inserted(store: SharingStore | CoveringStore, batch: list[Vector]) -> list[int]:
    ids = np.zeros(max(1, len(batch)), np.uint32)
    store.insert(np.array(batch, np.uint64).reshape(-1), len(batch), ids)
    return [int(each) for each in ids[: len(batch)]]


@settings(max_examples=150, deadline=None)
@given(cases(), st.sampled_from((2, 1 << 12)))
def test_what_repeats_is_kept_once(case: tuple[Repeating, int, list[list[Vector]]], slots: int) -> None:
    repeating, words, batches = case
    with patch.object(keys, "_FIRST_SLOTS", slots):
        store = SharingStore(words, Budget(MEMORY), MOST, repeating)
    known: dict[Vector, int] = {}
    for batch in batches:
        assert _inserted(store, batch) == [known.setdefault(vector, len(known)) for vector in batch]
        assert store.count == len(known)
    for vector, identifier in known.items():
        assert store.find(vector) == identifier
        assert store.vector(identifier) == vector
    ordered = list(known)
    for start in range(0, len(ordered), 5):
        rows = store.batch(start, len(ordered)).reshape(-1, words)
        assert [tuple(row) for row in rows.tolist()] == ordered[start : start + len(rows)]
    back = np.arange(store.count, dtype=np.uint32)[::-1].copy()
    assert [tuple(row) for row in store.gather(back).reshape(-1, words).tolist()] == ordered[::-1]
    assert store.find((7,) * words) is None


@settings(max_examples=150, deadline=None)
@given(cases())
def test_what_is_covered_is_not_kept(case: tuple[Repeating, int, list[list[Vector]]]) -> None:
    repeating, words, batches = case
    store = CoveringStore(words, Budget(MEMORY), MOST, repeating)
    stored: list[Vector] = []
    gone: set[int] = set()

    def covers(one: Vector, other: Vector) -> bool:
        first, end = repeating.first, repeating.end
        if (one[:first], one[end:]) != (other[:first], other[end:]):
            return False
        sides = (_numbers(each[first:end], repeating.bits) for each in (one, other))
        return all(mine >= theirs for mine, theirs in zip(*sides, strict=True))

    for batch in batches:
        expected = []
        for vector in batch:
            if any(covers(other, vector) for at, other in enumerate(stored) if at not in gone):
                expected.append(OLD)
                continue
            gone |= {at for at, other in enumerate(stored) if covers(vector, other)}
            expected.append(len(stored))
            stored.append(vector)
        assert _inserted(store, batch) == expected
        assert store.superseded == len(gone)
    for identifier, vector in enumerate(stored):
        assert store.vector(identifier) == vector
        if identifier not in gone:
            assert store.find(vector) == identifier
    waiting = store.waiting(1, len(stored))
    assert waiting.tolist() == [each for each in range(1, len(stored)) if each not in gone]
    rows = store.gather(waiting).reshape(-1, words)
    assert [tuple(row) for row in rows.tolist()] == [stored[each] for each in waiting]


@pytest.mark.parametrize("kind", [SharingStore, CoveringStore])
def test_the_limit_is_kept(kind: type[SharingStore] | type[CoveringStore]) -> None:
    budget = Budget(1 << 21)
    store = kind(4, budget, 1 << 10, Repeating(1, 4, 8, None))

    def fill() -> None:
        for number in range(0, 1 << 20, 1 << 10):
            _inserted(store, [(each, each & 127, 0, 0) for each in range(number, number + (1 << 10))])

    with pytest.raises(OutOfMemory):
        fill()
    assert budget.used <= budget.limit
    last = store.count - 1
    assert store.vector(last) == (last, last & 127, 0, 0)


@pytest.mark.parametrize(
    ("bits", "length", "others"), list(product((8, 16, 32), (9, 25), ((20,), (40,), (64,), (20, 64))))
)
def test_where_words_repeat_follows_from_the_layout(bits: int, length: int, others: tuple[int, ...]) -> None:
    fields = tuple(Field(f"v{at}", "globals", width) for at, width in enumerate(others))
    zone = Field("zone", "zone", bits, True, length, (1,) * length, repeats=True)
    layout = Layout((*fields, zone), within=Layout(fields))
    repeating = read_store("full").fitted(layout).repeating
    size = -(-length * bits // 64)
    home = next((at for at in reversed(range(len(others))) if others[at] <= 32), None)
    if length * bits > 64:
        assert repeating == Repeating(len(others), len(others) + size, bits, home)
    assert read_store("full").fitted(Layout(fields)).repeating is None
