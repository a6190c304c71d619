"""Searches of several workers against Tarjan's algorithm and plain counting.

`mpiexec -n 3 python -m tests.search.agreement` ends with an error at the first difference.
"""

from __future__ import annotations

from random import Random

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.stores.choice import StoreChoice, read_store
from ouroboros.engine.team import Team
from ouroboros.memory import Budget
from ouroboros.search.accepting import Method
from tests.fair_graphs import search_fair_cycle
from tests.graphs import (
    AUTOMATA,
    LAST_SEEN,
    Counts,
    Graph,
    Product,
    Question,
    counts,
    random_automaton,
    random_formula,
    random_table,
    search_cycle,
    search_states,
)
from tests.search.conftest import ROUNDS
from tests.search.test_accepting_cycles import METHODS, assert_decided
from tests.search.test_evidence import Taken, assert_is_evidence
from tests.search.test_response import METHODS as FAIR_METHODS
from tests.search.test_response import assert_decided as assert_fair
from tests.search.test_response import random_question

GRAPHS = 80
STORES = ("full", "full", "tree", "collapse")


def agree(exchange: Exchange, budget: Budget) -> None:
    random = Random(exchange.size)
    # Workers wait actively: more of them than cores are slow.
    for number in range(GRAPHS // exchange.size):
        graph: Graph = random_formula(random, 40) if number % 10 == 0 else random_table(random)
        automaton = random.choice((LAST_SEEN, random_automaton(random), random.choice(list(AUTOMATA.values()))))
        product = Product(graph, automaton, random.random() < 0.5)
        store = read_store(random.choice(STORES))
        methods = random.sample([method for method in METHODS if method.algorithm != "ndfs"], 3)
        with ROUNDS[random.choice(("tiny", "tiny", "usual"))]():
            for method in methods:
                taken = Taken()
                outcome = search_cycle(product, method, exchange, store=store, evidence=taken)
                assert_decided(product, [outcome])
                if exchange.rank == 0 and not outcome.finding:
                    assert_is_evidence(product, taken)
            assert_counted(graph, exchange, store)
            question = random_question(random)
            for kept in (store, read_store("compact")):
                found = search_fair_cycle(question, random.choice(FAIR_METHODS), exchange, store=kept)
                assert_fair(question, [found])
            assert_counted(graph, exchange, read_store("compact"))
            lasso = search_cycle(product, Method("owcty"), exchange, store=read_store("compact")).finding
            assert (lasso is not None) == (product.has_accepting_cycle or product.nearest_failure is not None)


def assert_counted(graph: Graph, exchange: Exchange, store: StoreChoice) -> None:
    found = search_states(graph, Question(), exchange, store=store).statistics
    assert Counts(found.states, found.transitions, found.deadlocks, found.depth) == counts(graph)


if __name__ == "__main__":
    Team().run(agree, memory=1 << 30)
