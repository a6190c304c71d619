"""How much is left out: a look at some states, before it is decided whether leaving out steps is worth the time.

From the initial states on, a few hundred states at a time are expanded, and of their successors some go on, chosen by a
fixed rule. So it is a matter of the model and the question alone, and the same for every worker.
"""

from __future__ import annotations

import numpy as np

from ouroboros.engine.expansion import SystemExpansion, new_notes
from ouroboros.native import Program
from ouroboros.system.model import System

_ROUNDS = 60
_AT_ONCE = 200


def share_reduced(system: System, program: Program) -> float:
    """The share of the states looked at of which steps were left out."""
    expansion = SystemExpansion(program, system, reviewed=True)
    words = expansion.words
    random = np.random.default_rng(0)
    states = np.array(system.initial, np.uint64)[:_AT_ONCE]
    seen = reduced = 0
    for _ in range(_ROUNDS):
        count = states.shape[0]
        most = max(expansion.most_successors, 1) * (count + 1)
        out, sources = np.zeros(most * words, np.uint64), np.zeros(most, np.uint32)
        vectors = np.ascontiguousarray(states).reshape(-1)
        expanded, found = expansion.expand(vectors, np.arange(count, dtype=np.uint32), out, sources, new_notes())
        seen += expanded
        reduced += expansion.take_reduced().size
        following = np.unique(out.reshape(-1, words)[:found], axis=0)
        if not following.size:
            break
        chosen = random.permutation(following.shape[0])[:_AT_ONCE]
        states = following[chosen]
    return reduced / max(1, seen)
