"""Spin replays our runs from their trails: the same process, the same line, and the same values in the end."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ouroboros.simulation.simulation import Simulation, run_of, simulate
from ouroboros.trace.trail import trail
from tests.simulation.models import POST, promela_model

MODELS = {
    "post": POST,
    "loops": """
byte n, m, a[3];
active proctype P() {
  byte i;
  for (i : 1 .. 2) { n++ }
  for (i in a) { a[i] = i; m = m + 1 }
  select (i : 3 .. 5);
  do
  :: n > 5 -> break
  :: n <= 5 -> n = n + i
  od;
  n = i
}
""",
    "jumps": """
byte n, m;
inline twice(x) { x = x + 1; if :: x > 3 -> goto out :: else fi; x = x * 2; out: skip }
active [2] proctype P() {
  byte k = 1;
again:
  if
  :: goto done
  :: n < 6 -> n++; goto again
  :: skip; skip; skip; m++
  fi;
  twice(k); twice(n);
done:
  { m = 1; m = 2; m = k } unless { n == 4 -> skip };
  d_step { n = 1; if :: m > 1 -> n = 2 :: else -> n = 3 fi; m = 7 };
end: skip;
progress: goto stop; stop: m = 5
}
""",
    "creation": """
chan h = [0] of { byte };
byte n;
proctype Child(byte k) { byte got; h?got; atomic { n = n + got; n = n + k } }
never unused { do :: n == 100 od }
init { byte c; atomic { run Child(1); c = run Child(2) }; h!3; byte late = 4; h!late; (n > 9) -> n = c }
""",
}


@pytest.fixture(scope="session")
def spin() -> str:
    found = shutil.which("spin")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("Spin is needed")
        pytest.skip("Spin is not installed")
    return found


def our_steps(simulation: Simulation) -> list[tuple[int, int]]:
    """Pid and line of each statement."""
    found = []
    for taken in simulation.taken:
        assert taken.step.action is not None
        for part in simulation.system.actions[taken.step.action].parts:
            pid = re.search(r"\[(\d+)\]$", part.process)
            if part.number is not None and part.text != "-end-":
                assert pid
                assert part.span
                found.append((int(pid[1]), part.span.line))
    return found


@pytest.mark.parametrize("name", MODELS)
def test_spin_follows(spin: str, tmp_path: Path, name: str) -> None:
    for seed in range(4):
        simulation = simulate(promela_model(MODELS[name]), seed=seed, steps=60)
        steps = [taken.step for taken in simulation.taken]
        (tmp_path / "model.pml").write_text(MODELS[name])
        (tmp_path / "model.pml.trail").write_text(trail(run_of(simulation.system, simulation.initial, steps)))
        command = [spin, "-t", "-p", "-T", "model.pml"]
        printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        theirs = re.findall(
            r"^\s*\d+:\tproc\s+(\d+) \([^)]*\) model.pml:(\d+) \(state \d+\).*\t\[", printed, re.MULTILINE
        )
        # A d_step is one step, of which Spin tells every statement.
        ours = our_steps(simulation)
        told = [(int(pid), int(line)) for pid, line in theirs]
        assert _without_repetitions(told) == _without_repetitions(ours), f"seed {seed}\n{printed}"
        assert "trail ends after" in printed
        for item in simulation.system.layout.fields:
            value = re.search(rf"^\t\t{re.escape(item.name)} = (\d+)$", printed, re.MULTILINE)
            if value and item.length is None:
                assert simulation.system.layout.read(simulation.state, item) == int(value[1])


def _without_repetitions(steps: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return [step for number, step in enumerate(steps) if number == 0 or steps[number - 1] != step]
