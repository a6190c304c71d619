"""Fairness: what a run that goes on for ever owes to the actions that are possible again and again.

A fair action is a set of the system's actions that are fair together: one rule instance, or all that a process does.
It is *enabled* in a state if one of them is possible there, even one that changes nothing or goes wrong, and *taken*
by a step of one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ouroboros.system.interpret import Step, successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import System

Strength = Literal["weak", "strong"]


@dataclass(frozen=True)
class FairAction:
    name: str
    strength: Strength
    """Weak: it is not enabled from some time on without being taken. Strong: nor is it enabled infinitely often."""
    actions: frozenset[int]


Fairness: TypeAlias = tuple[FairAction, ...]


def first_action(step: Step) -> int | None:
    """Of steps through transient states that are made one, the first decides what was enabled and is taken."""
    return (step.before[0] if step.before else step).action


def enabled_actions(system: System, state: Vector) -> set[int | None]:
    """The actions that are possible in a state, those that go wrong among them."""
    return {first_action(step) for step in successors(system, state)}


def taken_by(fairness: Fairness, action: int | None) -> frozenset[int]:
    """The numbers of the fair actions that a step takes."""
    return frozenset(number for number, fair in enumerate(fairness) if action in fair.actions)


def described(fairness: Sequence[FairAction]) -> str:
    """How many there are of each strength, in words."""
    counts = [(strength, sum(fair.strength == strength for fair in fairness)) for strength in ("weak", "strong")]
    shown = [f"{count} {strength}ly fair action{'' if count == 1 else 's'}" for strength, count in counts if count]
    return " and ".join(shown) or "no fair actions"
