"""States that cover others: they have the same owner, and what is covered is not explored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pytest

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.stores.base import OLD
from ouroboros.engine.stores.choice import StoreChoice
from ouroboros.engine.stores.full import FullStore
from ouroboros.graph.base import SystemGraph
from ouroboros.memory import Budget, Ids, Words
from ouroboros.native import Program, compile_system
from ouroboros.search.reachability import Question, reachability
from ouroboros.search.worker import Worker
from ouroboros.source import Source
from ouroboros.system.blocks import Assign
from ouroboros.system.choices import Action, All, Do
from ouroboros.system.expressions import Binary, Constant, Expression, Read
from ouroboros.system.layout import Field, Layout
from ouroboros.system.model import System
from ouroboros.verdict.outcome import Outcome
from tests.graphs import MEMORY, run

SIZE = 12

PLACE, BOUND = Field("place", "place", 64), Field("bound", "bound", 64)


def _step(place: Expression, bound: Expression, guard: Expression) -> Action:
    return Action((), (Assign(PLACE, None, place), Assign(BOUND, None, bound)), guard)


def _system() -> System:
    """From (place, bound) to the next place with a lower bound, or to the same place with a higher one."""
    layout = Layout((PLACE, BOUND))
    place, bound, one = Read(PLACE), Read(BOUND), Constant(1)
    lower = _step(Binary("+", place, one), Binary("/", bound, Constant(2)), Binary("<", place, Constant(SIZE)))
    higher = _step(place, Binary("+", bound, one), Binary("<", bound, Constant(SIZE)))
    return System(
        name="bounds",
        language="none",
        source=Source("bounds", ""),
        layout=layout,
        initial=((0, SIZE), (0, 0)),
        actions=(lower, higher),
        choices=All((Do(0), Do(1))),
    )


class _CoveringStore(FullStore):
    """A state covers those with the same first word and no greater second one."""

    def __init__(self, words: int, budget: Budget) -> None:
        super().__init__(words, budget)
        self._highest: dict[int, int] = {}

    def insert(self, arrivals: Words, total: int, ids: Ids, sources: Ids | None = None) -> None:
        for k in range(total):
            row = arrivals[k * self.words : (k + 1) * self.words]
            place, bound = map(int, row)
            if bound <= self._highest.get(place, -1):
                ids[k] = OLD
            else:
                self._highest[place] = bound
                super().insert(row.copy(), 1, ids[k : k + 1])


@dataclass(frozen=True)
class _Covering(StoreChoice):
    def create(self, words: int, budget: Budget, most_arrivals: int) -> FullStore:
        return _CoveringStore(words, budget)


def _search(system: System, program: Program, owning: int, store: StoreChoice, exchange: Exchange) -> Outcome:
    graph = SystemGraph(system, program)
    graph.owning_words = owning
    return reachability(graph, Question(), Worker(exchange, Budget(MEMORY), store=store))


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_what_is_covered_is_not_explored(workers: int) -> None:
    system = _system()
    program = compile_system(system)
    for owning in (1, 2):
        for outcome in run(workers, partial(_search, system, program, owning, StoreChoice())):
            assert outcome.statistics.states == (SIZE + 1) ** 2
            assert outcome.statistics.transitions == 2 * SIZE * (SIZE + 1)
    covered = [outcome.statistics for outcome in run(workers, partial(_search, system, program, 1, _Covering()))]
    assert {numbers.states for numbers in covered} == {covered[0].states}
    # Each place is there, and some of what another state covers is not.
    assert SIZE < covered[0].states < (SIZE + 1) ** 2
