"""`--time` holds in every phase of a run, and what was being done when it was met is told."""

from __future__ import annotations

import io
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ouroboros.checking import check, explore
from ouroboros.cli.stages import StagesOfRun
from ouroboros.driver.stages import COMPILING, CONFIRMING, REDUCING, SAMPLING
from ouroboros.engine.limits import Clock, Limits
from ouroboros.errors import OutOfTime
from ouroboros.languages import load, load_text
from ouroboros.report.json import report_data
from ouroboros.report.live import LiveLine
from ouroboros.source import Source
from tests.cli.helpers import MODELS, ouro
from tests.cli.test_verdicts import SCHEMA

GROWING = """
byte x;
active proctype P() { do :: x < 200 -> x++ :: x == 200 -> run P() od }
"""
"""Makes 255 processes, the first of them where no random walk from the beginning comes."""


def stages(seconds: float | None, begun: bool = True) -> StagesOfRun:
    clock = Clock()
    if begun:
        clock.start()
    return StagesOfRun(LiveLine(io.StringIO()), seconds, clock)


def test_a_stage_ends_where_the_time_does() -> None:
    handler, (left, _) = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    with pytest.raises(OutOfTime, match="while sleeping"), stages(0.05)("sleeping"):
        time.sleep(60)
    # Whoever else waits for an alarm gets it.
    assert signal.getsignal(signal.SIGALRM) == handler
    assert bool(signal.getitimer(signal.ITIMER_REAL)[0]) == bool(left)


def test_no_handler_of_errors_takes_it_for_one() -> None:
    def forgive() -> None:
        with suppress(Exception):
            time.sleep(60)

    with pytest.raises(OutOfTime), stages(0.05)("reading"):
        forgive()


def test_what_was_found_is_confirmed_however_long_it_takes() -> None:
    with stages(0.01)("confirming", False):
        time.sleep(0.05)


def test_before_the_first_search_there_is_time_to_read() -> None:
    with stages(0.01, begun=False)("reading"):
        time.sleep(0.05)


def test_reading_ends_as_well(tmp_path: Path) -> None:
    model = tmp_path / "wide.pml"
    lines = [f"#define A{each + 1} A{each} A{each}" for each in range(36)]
    # What is longer than any model is refused sooner or later; here it takes longer than the time that there is.
    model.write_text("\n".join(["#define A0 skip;", *lines, "active proctype P() { A36 }"]))
    begun = time.monotonic()
    ran = ouro("check", model, "--time", "1ms", "--json", "-")
    assert time.monotonic() - begun < 60
    assert ran.code in (2, 3)
    assert ran.data["error"]["exit_code"] == ran.code


def test_making_room_for_processes_ends_as_well(tmp_path: Path) -> None:
    model = tmp_path / "growing.pml"
    model.write_text(GROWING)
    ran = ouro("check", model, "--time", "1s", "--json", "-")
    assert ran.code == 3
    assert ran.data["verdict"] == "unknown"
    assert ran.data["reason"] == ran.data["limit"] == "time"
    jsonschema.validate(ran.data, SCHEMA)


class Ending:
    """Ends a run when it comes to a stage for the n-th time."""

    def __init__(self, stage: str, time: int = 1) -> None:
        self._stage = stage
        self._left = time
        self.told: list[str] = []

    @contextmanager
    def __call__(self, doing: str, limited: bool = True) -> Iterator[None]:
        self.told.append(doing)
        if doing.startswith(self._stage) and limited:
            self._left -= 1
            if self._left == 0:
                raise OutOfTime(doing)
        yield


TWO = """
byte x;
active proctype P() { do :: x < 3 -> x++ :: x > 0 -> x-- od }
ltl a { [] (x < 3) }
ltl b { []<> (x == 0) }
"""


def checked(text: str, ending: Ending, **options: Any) -> Any:
    report = check(load_text(Source("model.pml", text)), limits=Limits(stage=ending), **options)
    data = report_data(report)
    jsonschema.validate(data, SCHEMA)
    return data


@pytest.mark.parametrize("stage", [REDUCING, COMPILING])
def test_each_stage_may_be_the_last(stage: str) -> None:
    data = checked(TWO, Ending(stage))
    assert data["searches"][0]["meanwhile"] == stage
    states, *formulas = [(each["name"], each["verdict"], each["reason"]) for each in data["properties"]]
    assert states == ("assertions", "unknown", "time")
    # What has time left is answered: it is the clock that ends a run, and not the first stage that it ends.
    assert {name: verdict for name, verdict, _ in formulas if name in "ab"} == {"a": "violated", "b": "violated"}


def test_the_look_at_the_first_states_may_be_the_last_stage() -> None:
    # What was found out about a model is remembered, so it is another one each time.
    name = f"x{time.time_ns()}"
    process = f"byte y; do :: y < 9 -> y++ :: y == 9 -> {name}++; break od"
    text = f"byte {name};\nactive proctype P() {{ {process} }}\nactive proctype Q() {{ {process} }}\n"
    assert checked(text, Ending(SAMPLING))["meanwhile"] == SAMPLING


def test_what_was_answered_before_stays() -> None:
    data = checked(TWO, Ending(COMPILING, time=4))
    assert [(each["name"], each["verdict"]) for each in data["properties"]] == [
        ("assertions", "holds"), ("end-states", "holds"), ("a", "violated"), ("b", "unknown"),
    ]  # fmt: skip
    assert data["verdict"] == "violated"


def test_a_count_may_be_ended_before_it_begins() -> None:
    report = explore(load(MODELS / "ring.dve"), limits=Limits(stage=Ending(COMPILING)))
    assert (report.verdict, report.reason, report.search.meanwhile) == ("unknown", "time", COMPILING)
    jsonschema.validate(report_data(report), SCHEMA)


def test_room_that_is_made_is_told_and_may_be_the_last_stage() -> None:
    ending = Ending("making room")
    data = checked(GROWING, ending)
    assert data["verdict"] == "unknown"
    assert data["meanwhile"].startswith("making room in the model")
    assert {each["verdict"] for each in data["properties"]} == {"unknown"}


def test_what_is_done_beside_searching_is_told() -> None:
    ending = Ending("nothing of the kind")
    checked(TWO, ending)
    assert {"reading what is asked", REDUCING, COMPILING, CONFIRMING} <= set(ending.told)
