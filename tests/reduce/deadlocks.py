"""The states in which runs end, with and without partial order reduction: both must have the very same ones."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from ouroboros.system.interpret import Step, successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import System
from tests.peers.counting import TooLarge, ways

MOST_STATES = 3000
MOST_STEPS = 20_000


def deadlock_states(system: System, reduced: bool) -> frozenset[Vector] | None:
    """All states without a step, also those in which a run may end, by the interpreter; raises TooLarge.

    None where there is no reduction of this system.
    """
    steps = _chosen(system) if reduced else lambda state: successors(system, state)
    if steps is None:
        return None
    queue = list(dict.fromkeys(system.initial))
    seen = set(queue)
    found: set[Vector] = set()
    work = 0
    for state in queue:
        work += ways(system, state, 400)
        if len(queue) > MOST_STATES or work > MOST_STEPS:
            raise TooLarge
        made = steps(state)
        if not made:
            found.add(state)
        for step in made:
            if step.state is not None and step.state not in seen:
                seen.add(step.state)
                queue.append(step.state)
    return frozenset(found)


def _chosen(system: System) -> Callable[[Vector], list[Step]] | None:
    """The steps of a state that a stubborn set has."""
    if find_spec("ouroboros.reduce") is None:
        return None
    from ouroboros.reduce.referee import Referee
    from ouroboros.reduce.stubborn import Stubborn

    stubborn = Stubborn(system)
    if stubborn.refusal is not None or not stubborn.is_of_use:
        return None
    return Referee(stubborn.for_states(())).chosen
