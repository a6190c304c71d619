"""What a search needs of a store."""

from __future__ import annotations

from typing import Protocol

from ouroboros.memory import Ids, Words
from ouroboros.system.layout import Vector

MOST_STATES = (1 << 32) - 2
"""Of one worker: ids have 32 bits, and the last is no state's."""

OLD = (1 << 32) - 1
"""Instead of an id, for a state that is not new: it is stored already, or covered by one that is."""


class Store(Protocol):
    """States of one worker, numbered from zero in the order of their first arrival."""

    @property
    def words(self) -> int: ...

    @property
    def count(self) -> int: ...

    @property
    def bytes(self) -> int:
        """What the states and the tables cost."""

    def insert(self, arrivals: Words, total: int, ids: Ids, sources: Ids | None = None) -> None:
        """Set ids[k] for each of the arrivals. New states get the next ids in the order of arrival.

        Where the arrivals are successors of own states, a store may profit from knowing these. A store may know that a
        state need not be looked at, because one that it has covers it: then ids[k] is OLD. Only searches that want
        nothing of an edge but its target, if that is new, can use such a store; a state and those that may cover it
        must begin with the same words, by which the graph says who stores them.
        """

    def batch(self, start: int, stop: int) -> Words:
        """The vectors of consecutive ids that are about to be expanded.

        Not to be changed, and valid until the next insertion or batch.
        """


class LossyStore(Store, Protocol):
    """A store that may take two states for one. A state that is not new may get OLD instead of its id."""

    @property
    def identity_bits(self) -> int | None:
        """Two states are taken for one if so many bits of their hashes are the same; None for a filter."""

    @property
    def coverage(self) -> float | None:
        """For a filter, an estimate of the share of the states met that were visited."""


class ExactStore(Store, Protocol):
    """A store from which every state can be had again."""

    def vectors(self, start: int, stop: int) -> Words:
        """The vectors of consecutive ids, one after the other."""

    def gather(self, identifiers: Ids) -> Words:
        """A copy of the vectors of any ids, one after the other."""

    def find(self, vector: Vector) -> int | None:
        """The id of a vector, if it is stored."""

    def vector(self, identifier: int) -> Vector: ...
