"""The tree store against a dictionary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from random import Random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.engine.stores import keys, tree
from ouroboros.engine.stores.full import FullStore
from ouroboros.engine.stores.keys import KeyTable
from ouroboros.engine.stores.shape import Shape, Span, collapse_shape, flat_shape, learned_shape, tree_shape
from ouroboros.engine.stores.tree import TreeStore
from ouroboros.memory import Budget, OutOfMemory
from ouroboros.system.layout import Vector

LARGEST = (1 << 64) - 1

FAMILIES: dict[str, Callable[[int, int], Vector]] = {
    "counting in the first word": lambda number, words: (number, *(0,) * (words - 1)),
    "counting in the last word": lambda number, words: (*(0,) * (words - 1), number),
    "only high bits differ": lambda number, words: (number << 48, *(7,) * (words - 1)),
    "equal low halves": lambda number, words: (number << 32 | 0xABCD, *(number << 32,) * (words - 1)),
    "all words the same": lambda number, words: (number,) * words,
    "all but all ones": lambda number, words: (LARGEST - number, *(LARGEST,) * (words - 1)),
    "one word of many": lambda number, words: tuple(
        number // words + 1 if w == number % words else 5 for w in range(words)
    ),
    "like references": lambda number, words: tuple(number << 32 | number + w for w in range(words)),
}


class Checked:
    """A store beside its model."""

    def __init__(self, words: int, components: Sequence[Span] = (), collapse: bool = False, memory: int = 1 << 26):
        self.budget = Budget(memory)
        self.store = TreeStore(words, self.budget, 500, components, collapse=collapse)
        self.model: dict[Vector, int] = {}

    def insert(self, vectors: Sequence[Vector], sources: Sequence[int] | None = None) -> None:
        ids = np.zeros(500, np.uint32)
        arrivals = np.array(vectors, np.uint64).reshape(-1)
        self.store.insert(arrivals, len(vectors), ids, None if sources is None else np.array(sources, np.uint32))
        expected = [self.model.setdefault(vector, len(self.model)) for vector in vectors]
        assert list(ids[: len(vectors)]) == expected
        assert self.store.count == len(self.model)

    def insert_all(self, vectors: Sequence[Vector]) -> None:
        for start in range(0, len(vectors), 500):
            self.insert(vectors[start : start + 500])

    def check_all(self) -> None:
        store, words = self.store, self.store.words
        stored = list(self.model)
        assert _rows(store.vectors(0, store.count), words) == stored
        order = Random(0).sample(range(len(stored)), len(stored))
        assert _rows(store.gather(np.array(order, np.uint32)), words) == [stored[k] for k in order]
        for identifier in order[:100]:
            assert store.find(stored[identifier]) == identifier
            assert store.vector(identifier) == stored[identifier]


def _rows(vectors: np.ndarray, words: int) -> list[Vector]:
    return [tuple(row) for row in vectors.reshape(-1, words).tolist()]


def _random_vectors(random: Random, words: int, count: int) -> list[Vector]:
    """Vectors that share most of their words with others."""
    values = [0, 1, LARGEST, 1 << 63, *(random.getrandbits(64) for _ in range(4))]
    return [tuple(random.choice(values) if random.random() < 0.3 else 7 for _ in range(words)) for _ in range(count)]


def _components(random: Random, words: int) -> list[Span]:
    borders = sorted(random.sample(range(words + 1), min(words + 1, random.randrange(2, 8))))
    return list(pairwise(borders))


@contextmanager
def early_lessons(first: int = 64, doubt: int = 256) -> Iterator[None]:
    """Stores that change their shape soon."""
    with patch.multiple(tree, _FIRST_LESSON=first, _FIRST_DOUBT=doubt, _SAMPLE=64):
        yield


@pytest.mark.parametrize("collapse", [False, True])
@pytest.mark.parametrize("words", [*range(1, 13), 17, 23, 31, 40])
def test_random_vectors(words: int, collapse: bool) -> None:
    random = Random(words)
    checked = Checked(words, _components(random, words), collapse)
    for _ in range(20):
        checked.insert(_random_vectors(random, words, random.randrange(300)))
    checked.check_all()
    assert checked.store.find((123456789,) * words) is None
    assert checked.store.find((7,) * (words - 1) + (123456789,)) is None


@given(words=st.integers(1, 40), seed=st.integers(0, 1 << 32), collapse=st.booleans(), early=st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_shape(words: int, seed: int, collapse: bool, early: bool) -> None:
    random = Random(seed)
    with early_lessons() if early else early_lessons(1 << 14):
        checked = Checked(words, _components(random, words), collapse)
        for _ in range(4):
            checked.insert(_random_vectors(random, words, random.randrange(200)))
        checked.check_all()


@pytest.mark.parametrize("words", [1, 2, 3, 4, 6, 9, 20])
@pytest.mark.parametrize("family", FAMILIES)
def test_words_that_look_alike(family: str, words: int) -> None:
    vectors = [FAMILIES[family](number, words) for number in range(6000)]
    checked = Checked(words)
    checked.insert_all(vectors)
    checked.insert_all(vectors[::-1])
    checked.check_all()


@pytest.mark.parametrize("words", [1, 2, 5, 12])
def test_growth_through_large_indexes(words: int) -> None:
    """What is in the far cache is looked up in another way."""
    with patch.object(keys, "_FIRST_SLOTS", 8):
        store = TreeStore(words, Budget(1 << 28), 4096)
        rows = np.random.default_rng(words).integers(0, 90_000, (300_000, 1)) + np.arange(words)
        arrivals = rows.astype(np.uint64)
        ids = np.zeros(rows.shape[0], np.uint32)
        for start in range(0, len(rows), 4096):
            batch = arrivals[start : start + 4096]
            store.insert(batch.reshape(-1), len(batch), ids[start : start + 4096])
    _, first, inverse = np.unique(rows[:, 0], return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(first))
    assert np.array_equal(ids, order[inverse])
    assert np.array_equal(store.gather(ids).reshape(-1, words), arrivals)


@given(words=st.integers(1, 24), seed=st.integers(0, 1 << 32), collapse=st.booleans())
@settings(max_examples=40, deadline=None)
def test_near_is_the_same(words: int, seed: int, collapse: bool) -> None:
    """A search that expands batches, as an explorer does; now and then it asks for other states in between."""
    random = Random(seed)
    with early_lessons():
        checked = Checked(words, _components(random, words), collapse)
        checked.insert([(0,) * words])
        start = 0
        while start < checked.store.count < 1000:
            stop = min(checked.store.count, start + 100)
            batch = checked.store.batch(start, stop)
            assert _rows(batch, words) == list(checked.model)[start:stop]
            expanded = random.randrange(1, stop - start + 1)
            successors, sources = [], []
            for identifier in range(start, start + expanded):
                vector = list(_rows(batch, words)[identifier - start])
                for _ in range(random.randrange(5)):
                    changed = list(vector)
                    changed[random.randrange(words)] += 1
                    successors.append(tuple(changed))
                    sources.append(identifier)
            if random.random() < 0.1:
                checked.store.batch(0, 1)
            checked.insert(successors, sources)
            start += expanded
        checked.check_all()


def test_sources_that_are_not_in_the_batch() -> None:
    checked = Checked(5)
    vectors = _random_vectors(Random(3), 5, 400)
    checked.insert(vectors)
    checked.store.batch(10, 20)
    checked.insert(_random_vectors(Random(4), 5, 3), sources=[15, 19, 20])
    checked.insert(_random_vectors(Random(5), 5, 2), sources=[9, 15])
    checked.insert([], sources=[])
    checked.check_all()


def test_a_batch_of_all_states() -> None:
    checked = Checked(3)
    vectors = [(number, number % 7, 1) for number in range(3000)]
    checked.insert_all(vectors)
    rows: list[Vector] = []
    while len(rows) < 3000:
        rows += _rows(checked.store.batch(len(rows), 3000), 3)
    assert rows == vectors


@pytest.mark.parametrize("words", [2, 3, 12])
def test_vectors_that_share_nothing_are_stored_as_they_are(words: int) -> None:
    random = Random(1)
    with early_lessons():
        checked = Checked(words)
        checked.insert_all([tuple(random.getrandbits(64) for _ in range(words)) for _ in range(3000)])
    assert checked.store._forest.shape == flat_shape(words)
    checked.check_all()
    full = FullStore(words, Budget(1 << 26))
    ids = np.zeros(500, np.uint32)
    for start in range(0, 3000, 500):
        full.insert(checked.store.vectors(start, start + 500), 500, ids)
    assert checked.store.bytes <= 1.1 * full.bytes


def test_a_shape_is_learned() -> None:
    """Words that vary together are on both sides of the root, wherever they stand."""
    with early_lessons():
        checked = Checked(12)
        checked.insert_all([(*divmod(number, 80), *(0,) * 10) for number in range(6400)])
    assert checked.store._forest.shape.leaves[0] == (0, 1)
    assert checked.store._forest.nodes is not None
    assert checked.store._forest.nodes.size < 6400 * 2
    checked.check_all()


def _fill(checked: Checked, random: Random) -> list[Vector]:
    """Insert until there is no more memory; returns the vectors that were inserted last."""
    words = checked.store.words
    while True:
        vectors = [tuple(random.randrange(500) for _ in range(words)) for _ in range(100)]
        vectors += [tuple(random.getrandbits(64) for _ in range(words)) for _ in range(100)]
        try:
            checked.insert(vectors)
        except OutOfMemory:
            return vectors


@pytest.mark.parametrize("collapse", [False, True])
@pytest.mark.parametrize("words", [1, 2, 8])
def test_out_of_memory_harms_nothing(words: int, collapse: bool) -> None:
    random = Random(words)
    for memory in range(100_000, 500_000, 80_000):
        with early_lessons():
            try:
                checked = Checked(words, [(k, k + 2) for k in range(0, words, 2)], collapse, memory)
            except OutOfMemory:
                continue
            vectors = _fill(checked, random)
        assert checked.budget.used <= memory
        # Some of the last vectors may be stored, in the order of their arrival.
        for vector in vectors:
            if len(checked.model) < checked.store.count:
                checked.model.setdefault(vector, len(checked.model))
        checked.check_all()


def test_a_change_of_shape_that_does_not_fit_is_not_made() -> None:
    random = Random(2)
    vectors = [tuple(random.getrandbits(64) for _ in range(4)) for _ in range(2000)]
    roomy = Checked(4)
    roomy.insert_all(vectors)
    with early_lessons(first=1500, doubt=1500):
        tight = Checked(4, memory=roomy.budget.used + 20_000)
        tight.insert_all(vectors)
    assert tight.store._forest.shape == tree_shape(4)
    assert tight.budget.used == roomy.budget.used
    tight.check_all()


def test_memory_is_given_back_after_a_change_of_shape() -> None:
    random = Random(2)
    with early_lessons():
        checked = Checked(4)
        checked.insert_all([tuple(random.getrandbits(64) for _ in range(4)) for _ in range(1000)])
    unshared = KeyTable(4, Budget(1 << 26), "states")
    assert checked.budget.used <= unshared._hashes.nbytes + checked.store.bytes


def _leaves_below(shape: Shape, node: int) -> list[Span]:
    if node < len(shape.leaves):
        return [shape.leaves[node]]
    left, right = shape.forks[node - len(shape.leaves)]
    return _leaves_below(shape, left) + _leaves_below(shape, right)


@given(words=st.integers(1, 60), seed=st.integers(0, 1000))
def test_shapes_cover_all_words_in_order(words: int, seed: int) -> None:
    random = Random(seed)
    components = _components(random, words)
    shapes = [tree_shape(words, components), collapse_shape(words, components)]
    if words > 1:
        shapes.append(learned_shape(np.array(_random_vectors(random, words, 20), np.uint64), random.choice(shapes)))
    for shape in shapes:
        spans = [span for top in shape.tops for span in _leaves_below(shape, top)]
        assert [word for span in spans for word in range(*span)] == (list(range(words)) if shape.tops else [])
        assert len(spans) == len(shape.leaves)
        assert all(stop - start <= shape.leaf_words for start, stop in spans)
        for level, (first, last) in enumerate(pairwise(shape.levels)):
            below = len(shape.leaves) + shape.levels[level]
            assert all(child < below for fork in shape.forks[first:last] for child in fork)


def test_words_that_depend_on_each_other_stay_together() -> None:
    """Each of the first four words varies as much as the last; but together they do not vary more than one of them."""
    first, last = np.divmod(np.arange(64 * 64, dtype=np.uint64), np.uint64(64))
    vectors = np.column_stack([first, 3 * first, 5 * first, 7 * first, last])
    shape = learned_shape(vectors, tree_shape(5))
    assert [_leaves_below(shape, top) for top in shape.tops] == [[(0, 4)], [(4, 5)]]


def test_a_cut_that_is_hardly_worse_is_kept() -> None:
    """Cut after the first word, the part that varies more has 64 different contents; after the second 68, or 128."""
    left, right = np.divmod(np.arange(64 * 64, dtype=np.uint64), np.uint64(64))
    present = tree_shape(4, [(0, 2)])
    assert present.cuts[(0, 4)] == 2

    def learned(different: int) -> Shape:
        return learned_shape(np.column_stack([left % different, right % 4, right, right]), present)

    assert learned(17).cuts[(0, 4)] == 2
    assert learned(32).cuts[(0, 4)] == 1


def test_collapse_refers_to_components() -> None:
    shape = collapse_shape(9, [(0, 2), (2, 7), (7, 9)])
    assert [_leaves_below(shape, top) for top in shape.tops] == [[(0, 2)], [(2, 4), (4, 7)], [(7, 9)]]
    assert shape.root_words == 2
    assert collapse_shape(3, [(0, 3)]) == flat_shape(3)
