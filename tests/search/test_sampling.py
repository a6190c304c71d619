"""Partial order switches itself off where the first levels show that it does not pay."""

from __future__ import annotations

import pytest

from ouroboros.checking import check
from ouroboros.engine.team import Team
from ouroboros.languages import dve
from ouroboros.source import Source
from ouroboros.verdict.report import Report

# Only the one step of R is in accord with others.
NOT_IN_ACCORD = """byte x, y, z;
process P { state a; init a; trans a -> a { effect x = (x + 1) % MOST, z = 1; }; }
process Q { state a; init a; trans a -> a { effect y = (y + 1) % MOST, z = 2; }; }
process R { byte i; state a, b; init a; trans a -> b { effect i = 1; }; }
system async;"""

IN_ACCORD = """byte x, y;
process P { state a; init a; trans a -> a { guard x < MOST; effect x = x + 1; }; }
process Q { state a; init a; trans a -> a { guard y < MOST; effect y = y + 1; }; }
system async;"""

WITH_A_THIRD = """byte x, y, z;
process P { state a; init a; trans a -> a { guard x < MOST; effect x = x + 1; }; }
process Q { state a; init a; trans a -> a { guard y < MOST; effect y = y + 1; }; }
process R { state a, b; init a; trans a -> b { effect z = 1; }; }
system async;"""


def report(text: str, most: int, workers: int = 1) -> Report:
    model = dve.load(Source("model.dve", text.replace("MOST", str(most))))
    return check(model, properties=["assertions"], reductions={"partial order"}, team=Team(workers))


@pytest.mark.parametrize("text", [IN_ACCORD, WITH_A_THIRD])
def test_what_leaves_few_states_stays_on(text: str) -> None:
    found = report(text, 200)
    assert found.setting.reductions == ("partial order",)
    assert found.statistics.states < 1000


@pytest.mark.parametrize("workers", [1, 2])
def test_what_leaves_all_states_is_switched_off_and_says_so(workers: int) -> None:
    found = report(NOT_IN_ACCORD, 200, workers)
    assert found.setting.reductions == ()
    assert found.statistics.states > 40_000
    assert any("too little to pay" in reason for reason in found.setting.reductions_off)


def test_few_states_are_not_worth_a_decision() -> None:
    assert report(NOT_IN_ACCORD, 5).setting.reductions == ("partial order",)
