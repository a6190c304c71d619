"""Spin's counts and verdicts on models of its distribution, of BEEM, and on one for each point of the language."""

from __future__ import annotations

import pytest

from ouroboros.checking import check, explore
from ouroboros.languages import load, promela
from ouroboros.source import Source
from ouroboros.system.model import REDUCTIONS
from ouroboros.verdict.report import Verdict
from tests.oracles.spin import Row, beem, rows
from tests.oracles.where import PRESENT
from tests.peers.counting import count
from tests.peers.test_promela import Reduced

pytestmark = pytest.mark.skipif(not PRESENT, reason="the collections of Promela models are not here")

# On runs that end or block, Spin's fairness misses violations that it finds without: these are such models.
_SPIN_IS_WRONG = ("m26_ltl_stutter-ltl:l3", "m36_claim_predef-never")

# A claim that is not kept is an error, also without reductions; to Spin it is one with its reduction alone.
_CLAIM_NOT_KEPT = "m42b_xs_violated"


@pytest.mark.parametrize("row", [row for row in rows("neutral") if row.states is not None], ids=lambda row: row.name)
def test_counts(row: Row) -> None:
    counted = count(promela.load(Source(row.path.name, row.path.read_text(errors="replace"))), 5_000, 200_000)
    if row.path.stem == _CLAIM_NOT_KEPT:
        assert counted.failures == {"channel"}
        return
    assert (counted.states, counted.transitions) == (row.states, row.transitions)
    assert (counted.ends_badly or bool(counted.failures)) == (row.verdict == "error")


@pytest.mark.parametrize("row", [row for row in rows("neutral") if row.states is not None], ids=lambda row: row.name)
def test_verdicts_of_the_reduced_system(row: Row) -> None:
    counted = count(Reduced(row.path.read_text(errors="replace"), REDUCTIONS), 5_000, 200_000)
    assert counted.states <= (row.states or 0)
    if row.path.stem == _CLAIM_NOT_KEPT:
        assert counted.failures == {"channel"}
        return
    assert (counted.ends_badly or bool(counted.failures)) == (row.verdict == "error")


@pytest.mark.parametrize("row", beem(), ids=lambda row: row.path.stem)
def test_counts_of_beem(row: Row) -> None:
    statistics = explore(load(row.path)).statistics
    assert (statistics.states, statistics.transitions) == (row.states, row.transitions)


@pytest.mark.parametrize("row", rows("liveness_noreduce"), ids=lambda row: row.name)
def test_verdicts(row: Row) -> None:
    assert judged(row, None) == row.verdict


@pytest.mark.parametrize("row", rows("liveness_noreduce_weakfair"), ids=lambda row: row.name)
def test_verdicts_under_fairness(row: Row) -> None:
    expected = "error" if row.name in _SPIN_IS_WRONG else row.verdict
    assert judged(row, "weak") == expected


def judged(row: Row, fairness: str | None) -> str:
    model = load(row.path)
    names = {"np": "progress", "(accept labels)": "acceptance"}
    kind, _, name = row.property.partition(":")
    chosen = (
        name or names.get(kind) or next(each.name for each in model.system.automata if each.name.startswith("never"))
    )
    report = check(model, properties=[chosen], fairness="weak" if fairness else None)
    assert report.verdict is not Verdict.UNKNOWN
    return "error" if report.verdict is Verdict.VIOLATED else "ok"
