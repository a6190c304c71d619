"""Rounds of every size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ouroboros.engine import balance, edges, generation
from ouroboros.engine.stores import keys, tree
from ouroboros.search import exploration, fair_lasso, lasso, ndfs, propagation


@contextmanager
def tiny_rounds() -> Iterator[None]:
    """Buffers so small that the smallest graph takes many rounds, its table grows, and its queues come round.
    Workers expand states ahead of every meeting."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generation, "_BYTES_AT_ONCE", 1)
        patch.setattr(generation, "_BYTES_TOGETHER", 1)
        patch.setattr(generation, "_PIECE", 1)
        patch.setattr(balance, "_LEAST", 1)
        patch.setattr(exploration, "_LARGE", 0)
        patch.setattr(edges, "_ROOM", 1)
        patch.setattr(propagation, "_MOST", 2)
        patch.setattr(lasso, "_MOST", 2)
        patch.setattr(fair_lasso, "_MOST", 2)
        patch.setattr(ndfs, "_STEPS", 3)
        patch.setattr(keys, "_FIRST_SLOTS", 2)
        for name, states in (("_FIRST_LESSON", 4), ("_FIRST_DOUBT", 16), ("_SAMPLE", 4)):
            patch.setattr(tree, name, states)
        yield


@contextmanager
def usual_rounds() -> Iterator[None]:
    yield


ROUNDS = {"tiny": tiny_rounds, "usual": usual_rounds}
