"""Which checkpoint a resumed run goes on from: the newest that is as it was written."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ouroboros.checkpoint.directory import Directory, seals
from ouroboros.checkpoint.shares import Damaged, verify
from ouroboros.engine.exchange.base import Exchange

_MOST = 16
"""More generations than are ever there."""


class Choice(NamedTuple):
    generation: int | None
    """None if there is none that is sound."""
    wrong: tuple[str, ...]
    """What is wrong with newer ones."""


def choose(directory: Directory, exchange: Exchange) -> Choice:
    """Every worker looks at some of the shares, and all choose the same. Collective."""
    numbers = np.zeros(_MOST, np.int64)
    if exchange.rank == 0:
        # The others may be on machines that hear of new files a little later.
        found = directory.generations()[:_MOST]
        numbers[: len(found)] = found
    wrong: list[str] = []
    for number in map(int, exchange.total(numbers)):
        if number == 0:
            break
        damage = _damage(directory, number, exchange)
        if damage is None:
            return Choice(number, tuple(wrong))
        wrong.append(f"{directory.path}: checkpoint {number} is damaged: {damage}")
    return Choice(None, tuple(wrong))


def _damage(directory: Directory, number: int, exchange: Exchange) -> str | None:
    """What is wrong with a generation. Collective."""
    damage: str | None = None
    try:
        known = seals(directory.read_manifest(number))
        for worker in range(exchange.rank, len(known), exchange.size):
            verify(directory.share(number, worker), known[worker])
    except Damaged as error:
        damage = str(error)
    anybody = int(exchange.total(np.array([damage is not None], np.int64))[0])
    return damage or ("a share is not what was written" if anybody else None)
