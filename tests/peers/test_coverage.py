"""What is never executed is what Spin calls unreached; it says nothing of conditions that are tried and never true."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from ouroboros.checking import explore
from ouroboros.languages import load
from tests.peers.spin import judged_by_spin

MODELS = Path(__file__).parent / "promela"
NAMES = ("unless_nested", "atomic_goto", "else_in_the_middle", "loops_for_channel")

TEXT = """byte x;
proctype Never(byte q) {
  q = 1;
  if :: q == 1 -> q = 2 :: else -> goto L fi;
L: x = 3
}
active proctype P() {
  byte i;
  do
  :: i < 3 -> i++
  :: i > 5 ->
     x = 9;
     break
  :: x == 7 -> goto done
  :: else -> break
  od;
  skip;
  d_step { x = 1; if :: x == 1 -> x = 2 :: else -> x = 4; x = 5 fi; i = 0 };
  atomic {
    i = 4;
    if
    :: i == 3 ->
       printf("a")
    :: i == 4 -> skip
    fi
  };
  { x = 5; x = 6 } unless {
    x == 99;
    x = 100
  };
done:
  assert(x == 6);
  do
  :: i = 0; i = 1
  od;
  x = 10
}
"""


def unreached_by_spin(text: str, directory: Path) -> set[tuple[str, int]]:
    judged = judged_by_spin(text, directory)
    assert not isinstance(judged, str), judged
    command = ["./pan", "-m100000", "-c0"]
    printed = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True).stdout
    found: set[tuple[str, int]] = set()
    process = ""
    for line in printed.splitlines():
        if match := re.match(r"unreached in (?:proctype )?:?(\w+)", line):
            process = match[1]
        elif match := re.match(r"\s+\S+:(\d+), state \d+, ", line):
            found.add((process, int(match[1])))
    return found


@pytest.mark.parametrize("text", [TEXT, *((MODELS / f"{name}.pml").read_text() for name in NAMES)], ids=["own", *NAMES])
def test_the_same_lines_as_in_spin(text: str, tmp_path: Path) -> None:
    unreached = unreached_by_spin(text, tmp_path)
    ours = explore(load(tmp_path / "model.pml")).coverage.unreached
    assert ours is not None
    assert {(part.process, part.span.line) for part, tried in ours if part.span and not tried} == unreached
