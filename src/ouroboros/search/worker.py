"""What one worker has for a search: of the others, of the machine, of the user."""

from __future__ import annotations

from dataclasses import dataclass, field

from ouroboros.checkpoint.keeper import Keeper
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.limits import Limits, Observer
from ouroboros.engine.stores.choice import FULL, StoreChoice
from ouroboros.memory import Budget


@dataclass(frozen=True)
class Worker:
    exchange: Exchange
    budget: Budget
    limits: Limits = field(default_factory=Limits)
    observer: Observer | None = None
    store: StoreChoice = FULL
    keeper: Keeper | None = None
    """Who saves the search now and then, and knows where it goes on."""

    def __post_init__(self) -> None:
        self.limits.clock.start()
