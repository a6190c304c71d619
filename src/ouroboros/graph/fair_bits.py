"""Fair actions by numbers, sets of them as bits in a few words, and the labels that steps have for what they take.

Steps that take the same set have the same label, so that an edge carries two bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ouroboros.errors import UsageError
from ouroboros.graph.protocol import Labels
from ouroboros.memory import Words
from ouroboros.system.fairness import Fairness

BITS = 58
"""Fair actions in a word; searches have other uses for the rest of it."""

_MOST_LABELS = 1 << 16


class FairBits:
    """The numbers of the fair actions, and the labels of steps. Label 0 takes none of them."""

    def __init__(self, actions: int, fairness: Fairness, acceptance: bool = False) -> None:
        """With `acceptance`, accepting states must come again and again: like a weakly fair action that is never taken,
        and is disabled in accepting states only.
        """
        self.fairness = fairness
        self.count = len(fairness) + acceptance
        self.words = max(1, -(-self.count // BITS))
        self.acceptance = len(fairness) if acceptance else None
        sets: dict[frozenset[int], int] = {frozenset(): 0}
        self.labels: Labels = np.zeros(actions + 1, np.uint16)
        for action in range(actions):
            taken = frozenset(number for number, fair in enumerate(fairness) if action in fair.actions)
            if taken not in sets and len(sets) == _MOST_LABELS:
                raise UsageError(f"there are more than {_MOST_LABELS:,} kinds of fair steps: make fewer actions fair")
            self.labels[action] = sets.setdefault(taken, len(sets))
        self.taken = np.array([self.mask(taken) for taken in sets], np.uint64)
        """What a step with a label takes; a row for each label."""
        weak = [number for number, fair in enumerate(fairness) if fair.strength == "weak"]
        self.weak = self.mask([*weak, *([] if self.acceptance is None else [self.acceptance])])

        self._sets = list(sets)

    def fair_actions_of(self, label: int) -> frozenset[int]:
        """What a step with this label takes."""
        return self._sets[label]

    def mask(self, numbers: Sequence[int] | frozenset[int]) -> Words:
        """A set of fair actions, as words."""
        words = [0] * self.words
        for number in numbers:
            words[number // BITS] |= 1 << number % BITS
        return np.array(words, np.uint64)
