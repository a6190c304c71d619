"""Load balancing, as in PReach: states that wait to be expanded move from long queues to short ones.

A state's owner is chosen by hash, and stores it, whoever expands it. Queues are compared before each round, and every
worker comes to the same plan by itself. Who has nothing to do gets states of who has much, and expands them on behalf
of their owner; who has less than the others is left to finish first, so that it can help in the next round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ouroboros.memory import Words

_LEAST = 256
"""States that are worth a message."""


class Gift(NamedTuple):
    """States that one worker hands over to another."""

    giver: int
    helper: int
    states: int


class Plan(NamedTuple):
    """What to do in the next round, besides expanding states of one's own."""

    gifts: tuple[Gift, ...] = ()
    most: int | None = None
    """Nobody expands more of his own states than this."""


NO_PLAN = Plan()


def plan(queues: Sequence[int], borrowed: Sequence[int], most_given: int) -> Plan:
    """For workers with so many own and borrowed states to expand; nobody gets more than `most_given` at once."""
    longest = max(queues)
    busy = [own + other for own, other in zip(queues, borrowed, strict=True)]
    idle = [worker for worker, waiting in enumerate(busy) if waiting == 0]
    if longest < 2 * _LEAST:
        return NO_PLAN
    if not idle:
        least = max(min(busy), _LEAST)
        return Plan(most=least) if longest - least >= 2 * _LEAST and longest >= 2 * least else NO_PLAN
    helpers: dict[int, list[int]] = {}

    def share(worker: int) -> int:
        return queues[worker] // (len(helpers.get(worker, ())) + 1)

    for helper in idle:
        giver = max(range(len(queues)), key=share)
        if share(giver) >= 2 * _LEAST:
            helpers.setdefault(giver, []).append(helper)
    gifts = [
        Gift(giver, helper, min(share(giver), most_given)) for giver, chosen in helpers.items() for helper in chosen
    ]
    return Plan(tuple(gifts))


def are_even(queues: Sequence[int]) -> bool:
    """Whether there is nothing to balance."""
    return plan(queues, [0] * len(queues), 1) == NO_PLAN


@dataclass
class Borrowed:
    """States that a worker expands on behalf of their owner."""

    owner: int
    first: int
    """Their ids at the owner follow on this one."""
    vectors: Words
    words: int

    @property
    def count(self) -> int:
        return self.vectors.size // self.words

    def drop(self, states: int) -> None:
        self.first += states
        self.vectors = self.vectors[states * self.words :]


@dataclass
class Gain:
    """How much shorter the longest queues have become, which is what the others wait for."""

    unbalanced: int = 0
    """States that the busiest worker of each level would have expanded."""
    balanced: int = 0
    """States that the busiest worker of each round has expanded."""

    def begin_level(self, queues: Sequence[int]) -> None:
        self.unbalanced += max(queues)

    def end_round(self, expanded: Sequence[int]) -> None:
        self.balanced += max(expanded)

    @property
    def factor(self) -> float:
        return self.unbalanced / self.balanced if self.balanced else 1.0
