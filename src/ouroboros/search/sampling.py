"""How much is left out: a look at the first states, before it is decided whether leaving out steps is worth the time.

Finding out which steps are enough takes several times as long as making them all. So it pays only where much fewer
states are left. How many that will be is told well by the first levels: those up to some thousands of states are
searched with all steps, and once more without those that are left out. Where next to nothing is left out of the first
thousand, that is known sooner. Levels are a matter of the model and the question alone, not of who searches or how
fast: every worker, and every run, decides alike.
"""

from __future__ import annotations

from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.engine.explorer import Explorer
from ouroboros.engine.limits import Limits
from ouroboros.graph.protocol import Graph, ReducedGraph
from ouroboros.memory import Budget
from ouroboros.search.exploration import Alarm, Exploration

_LOOKS = ((1_000, 0.95), (10_000, 1 / 3))
"""How many states are looked at, and the largest share of them that may be left: where more are, it would have taken
less time to search them all. The first look costs a tenth of the second, and ends half of all cases."""
_MEMORY = 1 << 28  # bytes
"""The same on every machine; only a little of it is ever touched."""


def pays(whole: Graph, reduced: ReducedGraph, reviewed: bool) -> bool:
    """Whether leaving out steps is worth the time that it takes to find out which.

    Where there are few states in all, no time is lost by it, and that is what we say.
    """
    for states, largest_share in _LOOKS:
        most = len(whole.initial) + states
        levels = _levels(whole, None, most)
        if levels[-1] <= most:
            return True
        depth = max(number for number, found in enumerate(levels) if found <= most)
        enough = int(largest_share * levels[depth])
        fewer = _levels(reduced, reduced if reviewed else None, enough, depth)
        if fewer[min(depth, len(fewer) - 1)] > enough:
            return False
    return True


def _levels(graph: Graph, reduced: ReducedGraph | None, most: int, last: int | None = None) -> list[int]:
    """How many states there are up to each level; after the level `last`, or one up to which there are more than
    `most`, what follows need not be true.
    """
    explorer = Explorer(graph, SoloExchange(), Budget(_MEMORY), reduced=reduced)

    def has_come_far_enough() -> Alarm:
        return Alarm(now=last is not None and len(explorer.level_ends) > last)

    # No limit of time: what is decided must not depend on it.
    Exploration(explorer, graph.initial, Limits(states=most), None, has_come_far_enough).run()
    return [*explorer.level_ends, explorer.store.count]
