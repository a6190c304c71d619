"""Handing over the states that a search has found, for a certificate: block by block, to who asked for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ouroboros.engine.explorer import Explorer
from ouroboros.memory import Words

_MOST = 1 << 16
"""States of a block."""


Evidence: TypeAlias = Callable[[Words], None]
"""Who wants the states. Each row is one; in the last column is its rank, if it has one."""


def hand_over(explorer: Explorer, evidence: Evidence, ranks: Words | None = None) -> None:
    """Give all states of all workers to the evidence of the first. Collective."""
    exchange, store = explorer.exchange, explorer.exact
    nothing = np.zeros(0, np.uint64)
    width = store.words + (0 if ranks is None else 1)
    for sender, count in enumerate(exchange.gather(store.count)):
        for start in range(0, int(count), _MOST):
            block = nothing
            if sender == exchange.rank:
                stop = min(start + _MOST, store.count)
                block = store.vectors(start, stop)
                if ranks is not None:
                    block = np.column_stack([block.reshape(-1, store.words), ranks[start:stop]]).reshape(-1)
            (received,) = exchange.swap([block, *[nothing] * (exchange.size - 1)])
            if exchange.rank == 0:
                evidence(received[sender].reshape(-1, width))
