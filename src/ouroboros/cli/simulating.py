"""How a simulation goes on: by itself, by its user, or by a trace; and what is printed meanwhile."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from random import Random, SystemRandom

from ouroboros.cli.output import printed
from ouroboros.errors import UsageError
from ouroboros.languages import Model
from ouroboros.report.chart import chart_svg
from ouroboros.report.simulation import Detail, choice_lines, ending_line, state_lines, step_lines, variable_lines
from ouroboros.report.text_chart import chart_lines
from ouroboros.simulation.messages import messages
from ouroboros.simulation.replay import RecordedTrace
from ouroboros.simulation.simulation import Ending, Simulation, Taken, at_random

HELP = """\
  NUMBER     make that step
  Enter      make the step, if there is only one
  r [N]      run on by N steps at random (default: until the run ends)
  u [N]      undo the last step, or N steps
  s          show the state
  v NAME     show the variables of that name
  h          this help
  q          quit"""


def run_simulation(
    model: Model,
    *,
    seed: int | None,
    steps: int,
    interactive: bool,
    trace: RecordedTrace | None,
    chart: str | None,
    detail: Detail,
) -> int:
    """Returns the exit code."""
    seed = SystemRandom().randrange(2**32) if seed is None else seed
    random = Random(seed)
    start = trace.start(model.system) if trace else random.randrange(len(model.system.initial))
    simulation = Simulation(model, start)
    with printed():
        if not trace:
            print(f"seed {seed}")
        if detail == Detail():
            print("initial state", *state_lines(simulation), sep="\n")
        if trace:
            _tell(simulation, trace.follow(simulation), detail)
        elif interactive:
            print("h is help")
            _Dialogue(simulation, random, steps, detail).run()
        else:
            _tell(simulation, at_random(simulation, random, steps), detail)
        print(ending_line(simulation, _ending(simulation)))
    if chart:
        _draw(simulation, chart)
    return 1 if _ending(simulation).kind in ("failure", "deadlock") else 0


def _ending(simulation: Simulation) -> Ending:
    return simulation.ending() or Ending("limit", "the run could go on")


def _tell(simulation: Simulation, steps: Iterable[Taken], detail: Detail) -> None:
    for taken in steps:
        for line in step_lines(simulation.system, taken, len(simulation.taken), detail):
            print(line)


def _draw(simulation: Simulation, path: str) -> None:
    if path == "-":
        with printed():
            print(*chart_lines(messages(simulation), simulation.system.processes), sep="\n")
        return
    try:
        Path(path).write_text(chart_svg(messages(simulation), simulation.system.processes), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--msc {path}: the chart cannot be written: {error.strerror}") from None


class _Dialogue:
    """The user says how to go on."""

    def __init__(self, simulation: Simulation, random: Random, steps: int, detail: Detail) -> None:
        self._simulation = simulation
        self._random = random
        self._steps = steps
        self._detail = detail

    def run(self) -> None:
        self._offer()
        while True:
            print("> ", end="", flush=True)
            line = sys.stdin.readline()
            if not sys.stdin.isatty():
                print(line.strip())  # a terminal shows itself what its user types
            if not line:
                return
            word, _, rest = line.strip().partition(" ")
            if word == "q":
                return
            self._obey(word, rest.strip())

    def _offer(self) -> None:
        ending = self._simulation.ending()
        if ending:
            print(ending_line(self._simulation, ending))
        for line in choice_lines(self._simulation):
            print(line)

    def _obey(self, word: str, rest: str) -> None:
        simulation = self._simulation
        possible = len(simulation.possible())
        match word:
            case "h" | "?":
                print(HELP)
                return
            case "s":
                print(*state_lines(simulation), sep="\n")
                return
            case "v" if rest:
                print(*(list(variable_lines(simulation, rest)) or [f"  nothing is named {rest}"]), sep="\n")
                return
            case "u" if not rest or rest.isdigit():
                for _ in range(int(rest or 1)):
                    if not simulation.undo():
                        print("  this is the initial state")
                        break
            case "r" if not rest or rest.isdigit():
                _tell(simulation, at_random(simulation, self._random, int(rest or self._steps)), self._detail)
            case "" if possible == 1:
                self._take(0)
            case _ if word.isdigit() and not rest and 1 <= int(word) <= possible:
                self._take(int(word) - 1)
            case _:
                print(f"  a number from 1 to {possible} is expected, or h for help" if possible else "  h is help")
                return
        self._offer()

    def _take(self, number: int) -> None:
        _tell(self._simulation, [self._simulation.take(number)], self._detail)
