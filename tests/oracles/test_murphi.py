"""Verdicts, states and fired rules of CMurphi and rumur. Larger models are left to bench/murphi.py."""

from __future__ import annotations

import pytest

from tests.oracles.murphi import Counted, Judged, count_difference, counted, difference, judged
from tests.oracles.where import PRESENT

MOST_STATES = 30_000

# One point of the language each; the rest is as small, and left to the benchmark.
CHOSEN = {
    "toy__pingpong.m", "toy__sets.m", "toy__sort5.m", "mux__2_peterson.m", "mux__dek.m", "others__abp.m",
    "others__arbiter.m", "others__dp4.m", "rumur__193.m", "rumur__apartment.m", "rumur__array-assignment.m",
    "rumur__assume-in-ruleset.m", "rumur__assume-statement4.m", "rumur__call-no-lvalue.m", "rumur__compare-array.m",
    "rumur__cover-stmt-miss.m", "rumur__for-variants.m", "rumur__isundefined-function.m", "rumur__lsh-basic.m",
    "rumur__mixed-aliases.m", "rumur__recursion2.m", "rumur__recursion4.m", "rumur__return-from-ruleset.m",
    "rumur__ruleset-trace.m", "rumur__scalarset-schedules-off.m", "rumur__section-order10.m", "rumur__smart-quotes.m",
    "rumur__switch-stmt2.m", "rumur__type-shadowing2.m",
}  # fmt: skip

pytestmark = pytest.mark.skipif(not PRESENT, reason="the collection of Murphi models is not here")


@pytest.mark.parametrize("row", [row for row in judged() if row.model in CHOSEN], ids=str)
def test_verdicts_and_counts(row: Judged) -> None:
    assert difference(row) is None


@pytest.mark.parametrize("row", [row for row in counted() if row.counts[0] <= MOST_STATES], ids=str)
def test_counts_of_the_paper(row: Counted) -> None:
    assert count_difference(row) is None
