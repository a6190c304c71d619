"""`printf` prints what Spin's simulation prints."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from ouroboros.checking import check
from ouroboros.languages import promela
from ouroboros.simulation.simulation import at_random
from ouroboros.source import Source
from ouroboros.verdict.report import Verdict
from tests.simulation.models import simulated

MODEL = r"""
mtype = { red, green };
mtype:fruit = { apple, pear };
int i = -5;
byte a[2] = { 65, 200 };
mtype m = green;
mtype:fruit f = pear;
active proctype P() {
  printf("plain\n");
  printf("%d %u %x %o %c|\n", i, 7, a[1], a[1], a[0]);
  printf("a\tb %d%d\n", a[0] + 1, i * i);
  printf("%e %e\n", m, red);
  d_step { i = 3; printf("inside %d\n", i); i = 4 };
  atomic { printf("atomic "); printf("%d\n", _pid) }
}
"""


def test_printed_text(tmp_path: Path) -> None:
    spin = shutil.which("spin")
    if spin is None:
        if os.environ.get("CI"):
            pytest.fail("Spin is needed")
        pytest.skip("Spin is not installed")
    (tmp_path / "model.pml").write_text(MODEL)
    command = [spin, "-T", "-n1", "model.pml"]
    theirs = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    ours = "".join(taken.step.printed for taken in at_random(simulated(MODEL), Random(1), 100))
    assert ours == theirs[: theirs.rindex("1 process created")]


@pytest.mark.parametrize("argument", ["a[x]", "6 / (x - 2)"])
@pytest.mark.parametrize("statement", ["{}", "d_step {{ x = x; {} }}", "atomic {{ x = x; {} }}"])
def test_what_goes_wrong_in_an_argument_is_found(argument: str, statement: str) -> None:
    """Spin evaluates arguments in its searches, too, although it prints nothing there."""
    text = "byte a[2]; active proctype P() { byte x = 1; do :: x < 3 -> %s; x++ :: else -> break od }"
    model = promela.load(Source("printing.pml", text % statement.format(f'printf("%d\\n", {argument})')))
    assert check(model).verdict is Verdict.VIOLATED
    assert check(model, reductions=()).verdict is Verdict.VIOLATED
