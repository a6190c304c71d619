"""A base graph that comes from elsewhere goes through everything that a model goes through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from ouroboros.checking import check, explore
from ouroboros.checking.verifying import verify_certificate
from ouroboros.checkpoint.choosing import choose
from ouroboros.checkpoint.directory import Directory
from ouroboros.checkpoint.keeper import Keeper
from ouroboros.driver.certifying import CertificateFile
from ouroboros.engine.limits import Limits
from ouroboros.engine.team import Team
from ouroboros.languages import Abilities
from ouroboros.native import compile_system
from ouroboros.simulation.simulation import simulate
from ouroboros.source import Source
from ouroboros.system.choices import All
from ouroboros.system.expressions import Binary, Unary
from ouroboros.system.foreign import Machine
from ouroboros.system.interpret import Step, single_steps, valuation
from ouroboros.system.layout import Vector
from ouroboros.system.model import Proposition, System
from ouroboros.trace.itf import trace_itf
from ouroboros.verdict.report import Verdict
from tests.graph.puzzle import PuzzleModel
from tests.systems import systems

STATES, MOVES, DEPTH = 360, 840, 21
"""Of the puzzle with two rows of three: half of all 6! boards can be reached, each move can be taken back."""

SEARCHES: list[dict[str, Any]] = [
    {"algorithm": "ndfs"},
    {"algorithm": "owcty"},
    {"algorithm": "owcty", "team": Team(2)},
    {"algorithm": "owcty", "edges": "regenerate", "store": "tree"},
    {"algorithm": "map", "store": "collapse"},
    {"algorithm": "map", "team": Team(2), "store": "tree"},
    {"store": "compact:64", "team": Team(2)},
    {"store": "bitstate"},
    {"fairness": "weak"},
]


@pytest.fixture(scope="module")
def puzzle() -> PuzzleModel:
    return PuzzleModel(2, 3)


@pytest.mark.parametrize("store", ["full", "tree", "collapse", "compact", "bitstate"])
@pytest.mark.parametrize("workers", [1, 2])
def test_states_are_counted(puzzle: PuzzleModel, store: str, workers: int) -> None:
    if store == "bitstate" and workers > 1:
        pytest.skip("a filter has one worker")
    (answer,) = explore(puzzle, store=store, team=Team(workers)).answers
    found = answer.search.statistics
    assert (found.states, found.transitions, found.depth, found.deadlocks) == (STATES, MOVES, DEPTH, 0)
    assert found.fired == {0, 1, 2, 3}


def test_a_larger_one_with_two_workers() -> None:
    (answer,) = explore(PuzzleModel(2, 4), store="tree", team=Team(2)).answers
    assert answer.search.statistics.states == 20_160


def test_the_shortest_way_is_found_and_told(puzzle: PuzzleModel) -> None:
    """An invariant that is violated where the hole is in the last place, and tile 1 not in the first."""
    report = check(WithPropositions(puzzle, [Proposition("first", first_or_not_corner(puzzle))]), invariants=["first"])
    trace = next(answer.trace for answer in report.answers if answer.trace)
    last = trace.steps[-1].state
    assert last is not None
    board = puzzle.system.foreign.board(last)  # type: ignore[union-attr]  # a puzzle has foreign steps
    assert board[-1] == 0
    assert board[0] != 1
    told = trace_itf(trace, {})
    assert told["vars"] == ["row 0", "row 1"]
    assert told["states"][0]["row 0"] == "1 2 3"
    assert {part["statement"] for state in told["states"][1:] for part in state["#meta"]["action"]} <= {
        "left", "right", "up", "down",
    }  # fmt: skip


def first_or_not_corner(puzzle: PuzzleModel) -> Any:
    corner, first = (puzzle.proposition(Source("", name)).expression for name in ("corner", "first"))
    return Binary("or", first, Unary("not", corner))


class WithPropositions:
    """A model with propositions of its own."""

    def __init__(self, model: PuzzleModel, propositions: list[Proposition]) -> None:
        self.system, self.abilities = model.system, model.abilities
        self._propositions = {proposition.name: proposition for proposition in propositions}

    def proposition(self, source: Source) -> Proposition:
        return self._propositions[source.text.strip()]


@pytest.mark.parametrize("search", SEARCHES, ids=str)
def test_cycles_are_found_and_replayed(puzzle: PuzzleModel, search: Mapping[str, Any]) -> None:
    (answer,) = check(puzzle, ltl=["G F corner"], **search).answers
    assert answer.verdict is Verdict.VIOLATED
    assert answer.trace
    # A filter may have missed states.
    holds = Verdict.UNKNOWN if search.get("store") == "bitstate" else Verdict.HOLDS
    for formula in ("G (corner -> X !corner)", "G ((corner && !first) -> X !solved)"):
        (answer,) = check(puzzle, ltl=[formula], **search).answers
        assert answer.verdict is holds


@pytest.mark.parametrize("algorithm", ["owcty", "map", "ndfs"])
def test_what_holds_is_certified(puzzle: PuzzleModel, algorithm: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "certificate")
    report = check(puzzle, ltl=["G (corner -> X !corner)"], algorithm=algorithm, certificate=CertificateFile(file))
    assert report.certificate
    assert not report.certificate.lacking
    (shown,) = verify_certificate(puzzle, file).shown
    assert shown.states >= STATES
    report = check(puzzle, properties=["deadlock"], certificate=CertificateFile(file))
    (shown,) = verify_certificate(puzzle, file).shown
    assert shown.states == STATES


@pytest.mark.parametrize("workers", [1, 2])
def test_a_search_goes_on_from_a_checkpoint(workers: int, tmp_path: Path) -> None:
    puzzle, directory = PuzzleModel(2, 4), Directory(str(tmp_path))
    (tmp_path / "run.json").touch()
    first = explore(puzzle, team=Team(workers), limits=Limits(states=3000), keeper=Keeper(directory, every=3600))
    assert first.answers[0].verdict is Verdict.UNKNOWN
    keeper = Keeper(directory, every=3600)
    choice = Team(1).run(lambda exchange, budget: choose(directory, exchange), memory=0)
    assert choice.generation is not None
    keeper.resume(choice.generation)
    (answer,) = explore(puzzle, team=Team(3 - workers), keeper=keeper).answers
    found = answer.search.statistics
    assert (found.states, answer.verdict) == (20_160, Verdict.HOLDS)


def test_runs_are_simulated(puzzle: PuzzleModel) -> None:
    simulation = simulate(puzzle, seed=5, steps=30)
    assert len(simulation.taken) == 30
    assert all(taken.step in puzzle.system.foreign.steps(taken.before) for taken in simulation.taken)  # type: ignore[union-attr]  # likewise


# Every System as a foreign one ------------------------------------------------------------------------------------


class Disguised:
    """The steps of a system, as if they came from elsewhere."""

    def __init__(self, system: System, propositions: list[Proposition]) -> None:
        self.system = system
        self.propositions = propositions
        self.program = compile_system(system, propositions)

    @property
    def most_successors(self) -> int:
        return self.program.most_successors

    def machine(self) -> Machine:
        return Machine(self.program.successors, self.program.valuation, self.program)

    def steps(self, state: Vector) -> list[Step]:
        return single_steps(self.system, state)

    def observe(self, state: Vector) -> int:
        return sum(bit << at for at, bit in enumerate(valuation(self.system, state, self.propositions)))

    def remarks(self) -> tuple[str, ...]:
        return ()

    def shown(self, state: Vector) -> None:
        return None


class Wrapped:
    abilities = Abilities()

    def __init__(self, system: System) -> None:
        self.system = system

    def proposition(self, source: Source) -> Proposition:
        raise NotImplementedError


def disguised(system: System) -> System:
    return replace(system, choices=All(()), foreign=Disguised(system, []))


@settings(max_examples=25, deadline=None)
@given(systems())
def test_a_disguised_system_has_the_same_states(system: System) -> None:
    limits = Limits(states=2000)
    plain, foreign = (explore(Wrapped(each), limits=limits).answers[0].search for each in (system, disguised(system)))
    assert plain.limit == foreign.limit
    if not plain.limit:
        names = ("states", "transitions", "deadlocks", "failures", "overflows", "depth", "fired")
        assert [getattr(plain.statistics, name) for name in names] == [
            getattr(foreign.statistics, name) for name in names
        ]


@settings(max_examples=25, deadline=None)
@given(systems())
def test_a_disguised_system_has_the_same_verdicts(system: System) -> None:
    limits = Limits(states=2000)
    plain, foreign = (
        check(Wrapped(each), properties=["assertions"], limits=limits, reductions=()).answers
        for each in (system, disguised(system))
    )
    assert [(answer.verdict, answer.reason) for answer in plain] == [
        (answer.verdict, answer.reason) for answer in foreign
    ]
