"""Searches that are interrupted again and again, and resumed by another number of workers each time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from ouroboros.checkpoint import graph
from ouroboros.checkpoint.choosing import choose
from ouroboros.checkpoint.directory import Directory
from ouroboros.checkpoint.keeper import Keeper
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.engine.limits import Interrupt, Limits
from ouroboros.verdict.outcome import Outcome
from tests.graphs import run

NEVER, ALWAYS = 1e9, 0.0
"""Seconds between checkpoints: only at the interruption, or after every round."""

Work = Callable[[Exchange, Limits, Keeper], Outcome]


class Patience(Interrupt):
    """Lasts until it was looked at so many times."""

    def __init__(self, looks: int) -> None:
        self._looks = looks

    @property
    def asked(self) -> bool:
        self._looks -= 1
        return self._looks < 0


class Pieces(NamedTuple):
    outcomes: list[Outcome]
    interruptions: int
    impatient: bool
    """Whether the last run was asked to stop, and had something to tell."""


@contextmanager
def quick_disk() -> Iterator[None]:
    """Without waiting for the disk, and with so few states at once that the smallest checkpoint has several parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        patch.setattr(graph, "_AT_ONCE", 3)
        yield


def in_pieces(work: Work, path: Path, random: Random, workers: Sequence[int], every: float = NEVER) -> Pieces:
    """What the last of the runs finds."""
    directory = Directory(path)
    directory.begin({})
    patience, interruptions = random.randint(1, 12), 0
    while True:
        keeper = Keeper(directory, every)
        generation = choose(directory, SoloExchange()).generation
        assert (generation is not None) == (interruptions > 0)
        keeper.resume(generation)
        keeper.begin("search", None, "the only one")
        interrupt = Patience(patience)
        limits = Limits(interrupt=interrupt)
        outcomes = run(random.choice(workers), lambda exchange: work(exchange, limits, keeper))
        if outcomes[0].limit != "interrupted":
            return Pieces(outcomes, interruptions, interrupt.asked)
        assert keeper.failure is None
        interruptions += 1
        # Expanding again what was expanded before takes rounds as well.
        patience += random.randint(1, 6) + patience // 2
