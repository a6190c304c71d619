"""Weak fairness of Promela's processes is that of Spin's `-f`."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Literal

import pytest

from ouroboros.checking import check
from ouroboros.languages import load
from ouroboros.verdict.report import Verdict
from tests.peers.spin import Judgement, judged_by_spin

RECEIVES_ONLY = """\
byte x = 0; byte y = 0; chan c = [0] of { byte };
active proctype P0() { do :: c?_ :: y = 1 - y od }
active proctype P1() { do :: x = x :: c!1 od }
active proctype P2() { do :: (y == 1) -> y = 0 :: c!1 :: x = 1 - x od }
"""
"""P0 can always move, and it is fair to it that it receives again and again."""

FORMULAS = ("[] <> (x == 1)", "[] ((x == 1) -> <> (y == 1))", "<> [] (x == 0)")


def random_model(random: Random) -> str:
    statements = ["{0} = 1 - {0}", "({0} == 1) -> {0} = 0", "({0} == 0) -> {0} = 1", "c!1", "c?_"]
    statements += ["atomic {{ ({0} == 1) -> {0} = 0; y = 1 }}", "({0} == 1) -> x = 1 - x; y = 0"]
    processes = []
    for number in range(random.randint(2, 3)):
        chosen = [random.choice(statements).format(random.choice("xy")) for _ in range(random.randint(1, 3))]
        alternatives = " ".join(f":: {statement}" for statement in chosen)
        processes.append(f"active proctype P{number}() {{ do {alternatives} od }}")
    capacity = random.choice((0, 1))
    return "\n".join([f"byte x = 0; byte y = 0; chan c = [{capacity}] of {{ byte }};", *processes, ""])


@pytest.mark.parametrize("number", range(9))
def test_verdicts_are_those_of_spin(number: int, tmp_path: Path) -> None:
    random = Random(number)
    text = random_model(random) if number else RECEIVES_ONLY
    formula = random.choice(FORMULAS) if number else FORMULAS[1]
    judgement = judged_by_spin(f"{text}ltl p {{ {formula} }}\n", tmp_path, "-a", "-f", optimise="-O0")
    assert isinstance(judgement, Judgement), judgement
    path = tmp_path / "fair.pml"
    path.write_text(text)
    report = check(load(path), ltl=[formula], weak=["*"])
    assert (report.verdict is Verdict.VIOLATED) == (judgement.error is not None)
    algorithms: tuple[Literal["ndfs", "owcty", "map"], ...] = ("ndfs", "owcty", "map")
    for algorithm in algorithms:
        assert check(load(path), ltl=[formula], fairness="weak", algorithm=algorithm).verdict is report.verdict
