"""The choice of a store, from the command to the report."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from ouroboros.checking import check, explore
from ouroboros.engine.team import Team
from ouroboros.errors import UsageError
from ouroboros.languages import load
from ouroboros.search.accepting import Algorithm
from ouroboros.verdict.report import Verdict

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples" / "dve").glob("*.dve"))


@pytest.mark.parametrize("store", ["tree", "collapse"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_exact_stores_give_the_same_report(path: Path, store: str) -> None:
    model = load(path)
    full, other = explore(model), explore(model, store=store)
    assert other.setting.store == store
    assert f"{store} store, exact" in other.assurance
    for name in ("states", "transitions", "deadlocks", "depth"):
        assert getattr(other.statistics, name) == getattr(full.statistics, name)
    for algorithm in ("owcty", "map") if model.system.automata else ("auto",):
        verdicts = [
            [(answer.property, answer.verdict) for answer in report.answers]
            for report in (
                check(model, algorithm=algorithm),
                check(model, algorithm=algorithm, store=store),
                check(model, algorithm=algorithm, store=store, team=Team(2)),
            )
        ]
        assert verdicts[0] == verdicts[1] == verdicts[2]


def test_without_nested_search_another_algorithm_is_chosen() -> None:
    model = load(next(path for path in EXAMPLES if path.stem == "philosophers"))
    report = check(model, ltl=["[] <> true"], store="tree")
    assert report.search.algorithm == "owcty"
    assert "tree" in (report.search.choice or "")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_hashes_find_what_states_find(path: Path) -> None:
    """With as few states as these, nothing is missed."""
    model = load(path)
    full, compact = explore(model), explore(model, store="compact", seed=3)
    for name in ("states", "transitions", "deadlocks", "depth"):
        assert getattr(compact.statistics, name) == getattr(full.statistics, name)
    assert (compact.setting.seed, full.omission) == (3, 0)
    assert 0 < compact.omission < 1e-3
    with_states, with_hashes = check(model), check(model, store="compact")
    assert [answer.verdict for answer in with_hashes.answers] == [answer.verdict for answer in with_states.answers]


def test_strictly_nothing_holds_that_a_missed_state_could_violate() -> None:
    model = load(next(path for path in EXAMPLES if path.stem == "philosophers_fixed"))
    lenient, strict = (check(model, store="compact", strict=strict) for strict in (False, True))
    assert lenient.verdict is Verdict.HOLDS
    assert strict.verdict is Verdict.UNKNOWN
    assert "omission possible" in (strict.reason or "")
    assert check(model, strict=True).verdict is Verdict.HOLDS


def test_a_filter_never_says_that_something_holds() -> None:
    fixed = load(next(path for path in EXAMPLES if path.stem == "philosophers_fixed"))
    for report in (check(fixed, store="bitstate"), check(fixed, store="bitstate:64K,2", ltl=["[] <> true"])):
        assert (report.verdict, report.reason) == (Verdict.UNKNOWN, "bitstate")
        assert report.statistics.coverage is not None
        assert "of the states met were visited" in report.assurance[0]
    broken = load(next(path for path in EXAMPLES if path.stem == "philosophers"))
    assert check(broken, store="bitstate").verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("store", "algorithm", "message"),
    [
        ("bitstate", "owcty", "enough for --algorithm ndfs only"),
        ("bitstate:0", "auto", "write the size of the filter"),
        ("compact", "map", "it verifies a cycle"),
        ("compact:41", "auto", "32, 40, 48 or 64 bits"),
        ("tree:3", "auto", "takes no parameter"),
        ("tree", "ndfs", "made for batches"),
        ("heap", "auto", "'heap' is no store: choose from full, tree, collapse, automaton, compact, bitstate"),
    ],
)
def test_refusals(store: str, algorithm: Algorithm | Literal["auto"], message: str) -> None:
    model = load(EXAMPLES[0])
    with pytest.raises(UsageError, match=message):
        check(model, ltl=["[] true"], store=store, algorithm=algorithm)
