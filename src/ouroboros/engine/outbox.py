"""Boxes for messages: what a worker has to tell the others in a round, edges and what travels along them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ouroboros.engine.exchange.base import Columns, Exchange, Totals, nothing
from ouroboros.jit import kernel, prefetch
from ouroboros.memory import Budget, Ids, Words, counters

_AHEAD = 64
"""Edges between asking for the cache line of a payload and needing it."""


@kernel("void(uint64[::1], uint32[::1], uint64[::1])")
def _load(payload: Words, sources: Ids, loaded: Words) -> None:
    """Send with each edge the payload of its source."""
    count = np.uint64(sources.size)
    for k in range(count):
        if k + _AHEAD < count:
            prefetch(payload, np.int64(sources[k + _AHEAD]))
        loaded[k] = payload[sources[k]]


def loaded(payload: Words, sources: Ids) -> Words:
    """The payload of each source."""
    result = np.empty(sources.size, np.uint64)
    _load(payload, sources, result)
    return result


class Side:
    """Boxes for one round's messages, one for each worker: what the edges lead to, their sources, their labels."""

    def __init__(
        self, exchange: Exchange, room: int, item: int, dtype: type[np.unsignedinteger[Any]], labelled: bool
    ) -> None:
        self.boxes = exchange.allocate((exchange.size, room * item), dtype)
        self.sources = exchange.allocate((exchange.size, room), np.uint32)
        self.labels = exchange.allocate((exchange.size, room if labelled else 0), np.uint16)
        self.payloads: list[Words] = []

    @property
    def nbytes(self) -> int:
        return self.boxes.nbytes + self.sources.nbytes + self.labels.nbytes


class Outbox:
    """Messages to all workers, the own among them. Who routes edges fills a side, and counts in `filled`.

    There are several sides, for the rounds by turns: while others read what they were sent in the last round, the boxes
    for the next are filled. So a round needs one meeting only, and two sides. Who fills boxes while a meeting is under
    way needs three, for others may still read what they were sent at the meeting before.
    """

    def __init__(
        self,
        exchange: Exchange,
        room: int,
        item: int,
        dtype: type[np.unsignedinteger[Any]],
        budget: Budget,
        purpose: str,
        labelled: bool = False,
        sides: int = 2,
    ) -> None:
        """Room for so many edges in a box, each with `item` numbers. A worker that is alone has no boxes."""
        self.exchange = exchange
        self.room = 0 if exchange.size == 1 else room
        self.filled = counters(exchange.size)
        self._item = item
        self._labelled = labelled
        self._sides = [Side(exchange, self.room, item, dtype, labelled) for _ in range(sides)]
        self._turns = 0
        self._purpose = purpose
        self._budget = budget
        budget.claim_buffers(purpose, sum(side.nbytes for side in self._sides))

    @property
    def side(self) -> Side:
        """The one to be filled."""
        return self._sides[self._turns % len(self._sides)]

    def turn(self) -> None:
        """Begin a round."""
        self._turns += 1
        self.filled[:] = 0

    def turn_back(self) -> None:
        """Forget what was filled since the last turn, and that there was one."""
        self._turns -= 1
        self.filled[:] = 0

    def prepare(self, payloads: int) -> None:
        """Have boxes for so many payloads: a worker that has no memory for them may not find that out in a meeting."""
        for number in range(len(self.side.payloads), payloads):
            size = len(self._sides) * self.exchange.size * self.room * 8
            self._budget.claim_buffers(f"{self._purpose} for payload {number}", size)
            for side in self._sides:
                side.payloads.append(self.exchange.allocate((self.exchange.size, self.room), np.uint64))

    def send(
        self, payloads: tuple[Words, ...], numbers: Totals, meanwhile: Callable[[], None] = nothing
    ) -> tuple[Totals, Columns]:
        """Exchange the boxes, with the payloads of the edges' sources, and have numbers summed. Collective.

        What arrives is in this order: boxes, sources, labels if there are any, payloads, each by sender.
        """
        side = self.side
        columns = [self._cut(side.boxes, self._item), self._cut(side.sources)]
        if self._labelled:
            columns.append(self._cut(side.labels))
        self.prepare(len(payloads))
        for payload, boxes in zip(payloads, side.payloads, strict=False):
            for sources, box in zip(self._cut(side.sources), boxes, strict=True):
                _load(payload, sources, box)
            columns.append(self._cut(boxes))
        return self.exchange.meet(numbers, *columns, meanwhile=meanwhile)

    def _cut(self, boxes: npt.NDArray[Any], item: int = 1) -> list[npt.NDArray[Any]]:
        return [box[: filled * item] for box, filled in zip(boxes, self.filled, strict=True)]
