"""When fewer steps are enough: whether a question may be answered on the reduced system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ouroboros.checking.watched import Watched
from ouroboros.ltl.formula import Next, subformulas
from ouroboros.system.expressions import fields_in
from ouroboros.system.model import Proposition, System


def reduced_for_states(system: System, required: Sequence[Proposition]) -> System:
    """The system to look for states in that are not as required, that fail, or that runs may not end in."""
    return _reduced(system, required)


def reduced_for_runs(system: System, watched: Watched) -> System:
    """The system to look for runs in. A formula must not count steps; what a claim counts, nobody knows."""
    if watched.formula is None or watched.fair or any(isinstance(node, Next) for node in subformulas(watched.formula)):
        return system
    return _reduced(system, watched.propositions)


def _reduced(system: System, propositions: Sequence[Proposition]) -> System:
    reduction = system.reduction
    if reduction is None:
        return system
    if any(field in reduction.hidden for item in propositions for field in fields_in(item.expression)):
        return system
    return replace(system, choices=reduction.choices)
