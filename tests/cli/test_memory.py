"""`--memory` is kept, and a run that ends for it says what other stores would have made of it."""

from __future__ import annotations

import re
from functools import cache

import pytest

from bench.memory import ROUNDING, TOLERANCE, base, measure
from ouroboros.checking import explore
from ouroboros.cli.options import size
from ouroboros.engine.limits import Limits
from ouroboros.engine.team import Team
from ouroboros.languages import load
from tests.cli.helpers import MODELS, ouro

COUNTERS = MODELS / "counters.dve"
FORMULA = "[]<> A.at < 33"
_MOST_BASE = 256 << 20
"""docs/stores.md says about 170 MiB; machines and versions of the libraries differ."""


@cache
def base_of(command: str) -> int:
    # The first run may have to compile the kernels, which takes memory of its own.
    return min(base(COUNTERS, *(("--ltl", FORMULA) if command == "check" else ())) for _ in range(2)) + ROUNDING


@pytest.mark.parametrize(
    ("limit", "options"),
    [
        ("40M", ("--store", "full")),
        ("24M", ("--store", "tree", "--workers", "2")),
        ("12M", ("--store", "compact")),
        ("40M", ("--store", "full", "--algorithm", "owcty", "--ltl", FORMULA)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value,
)
def test_the_limit_is_kept(limit: str, options: tuple[str, ...]) -> None:
    """But for 5 %, and what the interpreter, the libraries and the machine code need."""
    alone = base_of("check" if "--ltl" in options else "states")
    assert alone < _MOST_BASE
    measure(COUNTERS, *options, "--memory", limit)
    found = measure(COUNTERS, *options, "--memory", limit)
    assert (found.verdict, found.reason) == ("unknown", "memory")
    assert found.peak <= alone + size(limit) * TOLERANCE
    # The report has both: what the limit is about, and the base on top.
    assert 0.3 * size(limit) < found.counted <= size(limit)


def test_what_comes_on_top_is_told() -> None:
    assert "needs up to 200M on top" in " ".join(ouro("check", "--help").out.split())
    ran = ouro("states", MODELS / "ring.dve")
    assert re.search(r"memory +[\d.]+ MiB +at its peak; --memory counts [\d.]+ [KM]iB", ran.out)


def test_a_state_takes_as_much_with_two_workers_as_with_one() -> None:
    """Buffers for messages, which are as large for few states as for many, are told apart."""
    alone, both = (explore(load(COUNTERS), team=Team(workers)).search for workers in (1, 2))
    assert both.statistics.buffers > 64 << 20
    assert alone.bytes_per_state < both.bytes_per_state < 1.2 * alone.bytes_per_state


def visited(store: str, memory: int) -> int:
    report = explore(load(COUNTERS), store=store, limits=Limits(memory=memory))
    assert report.reason == "memory"
    return report.statistics.states


def test_the_forecasts_come_true() -> None:
    """Within a third: tables grow by steps, and a sample is a sample."""
    memory = 10 << 20
    report = explore(load(COUNTERS), limits=Limits(memory=memory))
    forecasts = {one.store: one for one in report.search.forecasts}
    assert list(forecasts) == ["tree", "automaton", "compact"]
    # Counters are what automata are best at: all of these fit.
    whole = explore(load(COUNTERS), store="automaton", limits=Limits(memory=memory))
    assert whole.reason is None
    assert forecasts.pop("automaton").states > forecasts["tree"].states
    for store, forecast in forecasts.items():
        found = visited(store, memory)
        assert found > report.statistics.states
        assert 0.66 < forecast.states / found < 1.5, (store, forecast, found)
    tree = explore(load(COUNTERS), store="tree", limits=Limits(memory=memory))
    assert [one.store for one in tree.search.forecasts][-1] == "compact"


def test_the_report_names_the_stores_that_would_have_more_room() -> None:
    ran = ouro("states", COUNTERS, "--memory", "24M")
    assert ran.code == 3
    assert "--store tree would have room for " in ran.out
    assert "--store compact, by which one may be missed, would have room for " in ran.out
    told = ouro("states", COUNTERS, "--memory", "24M", "--json", "-").data
    assert [one["store"] for one in told["other_stores"]] == ["tree", "automaton", "compact"]
    assert all(one["states"] > told["states"] for one in told["other_stores"])


@pytest.mark.parametrize("options", [("--algorithm", "ndfs"), ("--algorithm", "owcty"), ("--workers", "2")])
def test_forecasts_for_formulas(options: tuple[str, ...]) -> None:
    told = ouro("check", COUNTERS, "--memory", "32M", "--ltl", FORMULA, "--json", "-", *options).data
    assert told["reason"] == "memory"
    assert "tree" in [one["store"] for one in told["other_stores"]]


def test_without_any_room_nothing_is_foretold() -> None:
    ran = ouro("states", COUNTERS, "--memory", "100K")
    assert ran.code == 3
    assert "would have room" not in ran.out
