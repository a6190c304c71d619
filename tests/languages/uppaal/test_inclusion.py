"""Zones inside of others are left out: how many are left, that no verdict changes, and where it is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ouroboros.checking import check, explore
from ouroboros.engine.team import Team
from ouroboros.errors import UsageError
from ouroboros.languages.uppaal import UppaalModel, load
from ouroboros.source import Source

EXAMPLES = Path(__file__).parents[3] / "examples" / "uppaal"

FORGETFUL = """
clock x, y;
int v;
process P() {
    state near, far, lost, end { y <= 9 };
    init near;
    trans
        near -> far { guard x <= 1; },
        near -> far { guard x >= 1 && x <= 2; assign y = 0; },
        near -> far { guard x <= 3; assign y = 0; },
        far -> far { guard v < 2 && y <= 2; assign v++, y = 0; },
        far -> lost { guard x > 5 && y < 1; },
        far -> end { guard x - y >= 0 && y <= 8; };
}
system P;
"""


def _fischer(processes: int) -> UppaalModel:
    text = (EXAMPLES / "fischer.xml").read_text(encoding="utf-8")
    return load(Source("fischer.xml", text.replace("const int N = 4;", f"const int N = {processes};")))


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("processes", "kept"), [(2, (18, 26)), (3, (65, 126)), (4, (220, 552)), (5, (727, 2290)), (6, (2378, 9132))]
)
def test_as_many_zones_are_kept_as_other_tools_keep(processes: int, kept: tuple[int, int], workers: int) -> None:
    statistics = explore(_fischer(processes), inclusion=True, team=Team(workers)).statistics
    assert (statistics.states, statistics.transitions) == kept


@pytest.mark.parametrize("workers", [1, 2])
def test_verdicts_are_the_same(workers: int) -> None:
    model = load(Source("forgetful.xta", FORGETFUL))
    for query, verdict in {
        "E<> P.lost": "holds",
        "E<> P.lost and v == 0": "violated",
        "E<> P.lost and v == 1": "holds",
        "A[] P.far imply x - y <= 3": "violated",
        "A[] P.end imply y < 9": "violated",
        "A[] P.end imply y <= 9": "holds",
        "A[] not deadlock": "violated",
        "E<> P.lost and y >= 1 and v == 2": "holds",
        "E<> P.far and x < y": "violated",
        "E<> P.near and v > 0": "violated",
    }.items():
        asked = model.with_query(query)
        included = check(asked, properties=[query], team=Team(workers))
        apart = check(asked, properties=[query], reductions=(), team=Team(workers))
        found = [next(each for each in report.answers if each.property == query) for report in (included, apart)]
        assert [str(each.verdict) for each in found] == [verdict, verdict], query
        assert included.setting.reductions == ("inclusion",)
        assert not apart.setting.reductions
        if not found[0].certain:
            assert found[0].search.statistics.states <= found[1].search.statistics.states


def test_a_run_through_a_zone_that_was_covered_later_is_shown() -> None:
    """The narrow zone comes first, and is expanded; the step that fails is found from the wide one or from it."""
    report = check(load(Source("forgetful.xta", FORGETFUL)), invariants=["!P.lost"])
    assert report.trace
    assert report.trace.moments
    assert report.trace.violation.message.endswith("false")


def test_questions_about_runs_do_without() -> None:
    model = _fischer(3)
    report = check(model.with_query("P(1).request --> P(1).wait"), properties=["P(1).request --> P(1).wait"])
    assert not report.setting.reductions
    report = check(model, ltl=["[] !(P(1).critical && P(2).critical)"])
    assert not report.setting.reductions
    for means in ({"store": "tree"}, {"store": "compact"}):
        report = check(model, invariants=["P(1).critical + P(2).critical <= 1"], **means)  # type: ignore[arg-type]  # a table has them
        assert not report.setting.reductions
        assert f"no inclusion with --store {means['store']}" in report.setting.reductions_off


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ({"ltl": ["[] !P(1).critical"]}, "which runs come back"),
        ({"invariants": ["true"], "store": "tree"}, "only --store full can"),
        ({"responses": ["P(1).request ~> P(1).wait"]}, "which runs come back"),
    ],
)
def test_what_must_be_refused(question: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        check(_fischer(2), inclusion=True, **question)


def test_a_model_without_clocks_has_no_zones() -> None:
    model = load(Source("still.xta", "process P() { state s; init s; } system P;"))
    with pytest.raises(UsageError, match="no clocks"):
        explore(model, inclusion=True)
