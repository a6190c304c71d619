"""One run: what is asked of which system, with which means, and what has come out so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ouroboros.driver.certifying import Certifying
from ouroboros.driver.combinations import Combination
from ouroboros.driver.reducing import Reductions
from ouroboros.driver.searching import Resources
from ouroboros.system.fairness import Fairness
from ouroboros.system.model import System
from ouroboros.trace.fair import FairRuns
from ouroboros.verdict.report import Search

Kernels: TypeAlias = Literal["states", "cycles", "fair cycles"]
"""What is looked for; the kernels of each are compiled when it is looked for first."""


@dataclass
class Run:
    """What whoever answers a question has, and what he leaves to those after him."""

    system: System
    combination: Combination
    resources: Resources
    reductions: Reductions
    fairness: Fairness = ()
    """Of the runs that properties of runs speak of."""
    certifying: Certifying | None = None
    first: bool = False
    """Whether the first violation ends the search of the states."""
    violations: int = 1
    """The most that are looked for of each property of states."""
    covering: Search | None = None
    """The search of all states, which knows what is never executed."""
    gone_wrong: Search | None = None
    """The search of the states, if it has found that one of their properties is violated."""

    def fair_runs(self, stutters: bool = False) -> FairRuns:
        """Those that count; `stutters` is whether a run may stay in a state for ever, unless the user has said so."""
        said = self.combination.stutter
        return FairRuns(self.fairness, stutters if said is None else said)
