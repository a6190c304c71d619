"""What a state would have cost in another store: asked when memory was not enough for this one, and measured.

The first of the states that were found go into a tree, in the memory that the table had, which nobody needs then. What
the second half of them has added tells what the next ones would: less and less, for they share more and more. What a
compact store needs follows from the size of its entries.
"""

from __future__ import annotations

import numpy as np

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.stores.base import ExactStore
from ouroboros.engine.stores.choice import StoreChoice
from ouroboros.engine.stores.full import FullStore
from ouroboros.engine.stores.tree import TreeStore
from ouroboros.memory import Budget, OutOfMemory
from ouroboros.verdict.outcome import Forecast

_MOST_FOR_SAMPLE = 64 << 20
"""Bytes; more would only take time."""
_LEAST_SAMPLE = 1 << 12
"""Fewer states than that share too little."""
_BATCH = 1 << 10
_MOST_WORDS = 1 << 17
"""As many as an automaton reads in half a second."""
_LEAST_FOR_WORD = 0.5
"""Bytes: fewer states than there will be do not tell of so few."""
# What a state costs in a compact store of the usual bits. Without cycles: ten entries in a line of 64 bytes, of which
# between 77 % and 88 % are in use, and two bytes for the parent. With cycles: a key of eight bytes and an index, the
# parent, and what OWCTY_HC knows of the state.
_COMPACT = 64 / 10 / 0.825 + 2
_COMPACT_FOR_CYCLES = 8 + 6 + 2 + 9
_SHARE_FOR_STATES = 15 / 16
"""A queue of states that wait goes to disk when it needs more than the rest."""

_IN_RESERVE = 2
"""Bytes of the index of roots for each of them, on average between two growths."""


def forecasts(
    store: ExactStore, budget: Budget, exchange: Exchange, choice: StoreChoice, others: float, cycles: bool
) -> tuple[Forecast, ...]:
    """For the stores that would have room for more states than there are. Collective; every worker gets the same. The
    store is of no use afterwards.

    `others` are the bytes that the search keeps of each state in an exact store, beside the state itself.
    """
    tree = _tree_bytes(store, budget, choice) if isinstance(store, FullStore) else 0.0
    automaton = 0.0 if cycles else _automaton_bytes(store, budget, choice)
    # Each worker has its own share of the states, and they are alike: the mean of those that can say something is good.
    own = [store.count, budget.limit, int(tree * 1000), tree > 0, int(automaton * 1000), automaton > 0]
    count, limit, total, judges, words, readers = map(int, exchange.total(np.array(own, np.int64)))
    costs = [("tree", total / 1000 / judges + others, 1.0)] if judges else []
    if readers:
        costs.append(("automaton", words / 1000 / readers, _SHARE_FOR_STATES))
    costs.append(("compact", _COMPACT_FOR_CYCLES if cycles else _COMPACT, _SHARE_FOR_STATES))
    found = [Forecast(name, cost, int(limit * share / cost)) for name, cost, share in costs]
    return tuple(one for one in found if one.states > count > 0)


def _automaton_bytes(store: ExactStore, budget: Budget, choice: StoreChoice) -> float:
    """Of a state in an automaton, by those that come in the second half of a sample; zero where nothing can be said."""
    from ouroboros.engine.stores.automaton import WordAutomaton

    sizes = [(0, 0)]
    try:
        sample = Budget(min(_MOST_FOR_SAMPLE, max(0, budget.limit - budget.used)))
        automaton = WordAutomaton(store.words, sample, choice.places or range(8 * store.words))
        ids, fresh = np.zeros(_BATCH, np.uint32), np.zeros(_BATCH * store.words, np.uint64)
        while automaton.count < min(store.count, _MOST_WORDS):
            stop = min(automaton.count + _BATCH, store.count)
            automaton.insert(store.vectors(automaton.count, stop), stop - automaton.count, ids, fresh)
            sizes.append((automaton.count, automaton.bytes))
    except OutOfMemory:
        pass
    half, half_size = sizes[len(sizes) // 2]
    count, size = sizes[-1]
    return max(_LEAST_FOR_WORD, (size - half_size) / (count - half)) if count >= _LEAST_SAMPLE else 0.0


def _tree_bytes(store: FullStore, budget: Budget, choice: StoreChoice) -> float:
    """Of a state in a tree; zero where nothing can be said, with few states or little memory for a sample."""
    store.close()
    sizes = [(0, 0)]
    try:
        sample = Budget(min(_MOST_FOR_SAMPLE, budget.limit - budget.used))
        tree = TreeStore(store.words, sample, _BATCH, choice.components, short=choice.short)
        ids = np.zeros(_BATCH, np.uint32)
        while tree.count < store.count:
            stop = min(tree.count + _BATCH, store.count)
            tree.insert(store.vectors(tree.count, stop), stop - tree.count, ids)
            sizes.append((tree.count, tree.size))
    except OutOfMemory:
        pass
    half, half_size = sizes[len(sizes) // 2]
    count, size = sizes[-1]
    return (size - half_size) / (count - half) + _IN_RESERVE if count >= _LEAST_SAMPLE else 0.0
