"""Models that Python runs: any object with `initial` and `successors`, and classes that shall not be compiled."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from ouroboros.checking import check, explore
from ouroboros.engine.team import Team
from ouroboros.errors import OuroborosError
from ouroboros.languages import load
from ouroboros.verdict.report import Verdict

RING = """
from ouroboros.python import Step, invariant, ltl, response

class Ring:
    actions = {"pass": "weak", "keep": "none"}

    def __init__(self, size, most=None):
        self.size, self.most = size, most

    def initial(self):
        return [frozenset({0})]

    def successors(self, state):
        (at,) = state
        if at == self.most:
            raise ValueError("nobody there")
        yield Step("keep", state)
        yield Step("pass", frozenset({(at + 1) % self.size}))

    @invariant
    def one(self, state):
        return len(state) == 1

    def at(self, state, place):
        return place in state

    comes_back = ltl("G F at(state, 0)")
    goes_on = response("at(state, 1)", "at(state, 2)")

ring = Ring(5)
broken = Ring(5, most=3)
"""


UNFAIR = RING.replace('"pass": "weak"', '"pass": "none"')


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    file = tmp_path / "ring.py"
    file.write_text(textwrap.dedent(RING))
    return file


def test_states_and_steps_are_those_of_the_object(ring: Path) -> None:
    statistics = explore(load(f"{ring}::ring")).statistics
    assert (statistics.states, statistics.transitions) == (5, 10)
    with pytest.raises(OuroborosError, match="several models: ring, broken"):
        load(ring)


@pytest.mark.parametrize("algorithm", ["ndfs", "owcty", "map"])
def test_formulas_by_all_algorithms(ring: Path, algorithm: Any) -> None:
    ring.write_text(textwrap.dedent(UNFAIR))
    model = load(f"{ring}::ring")
    answers = check(model, ltl=["G at(state, 0)", "G len(state) == 1"], algorithm=algorithm).answers
    assert [answer.verdict for answer in answers] == [Verdict.VIOLATED, Verdict.HOLDS]


def test_what_it_declares_is_asked_under_its_own_fairness(ring: Path) -> None:
    verdicts = {answer.property: answer.verdict for answer in check(load(f"{ring}::ring")).answers}
    assert verdicts["comes_back"] == verdicts["goes_on"] == Verdict.HOLDS
    assert set(verdicts.values()) == {Verdict.HOLDS}


def test_an_exception_is_a_violation_with_its_run(ring: Path) -> None:
    report = check(load(f"{ring}::broken"))
    assert report.verdict == Verdict.VIOLATED
    trace = next(answer.trace for answer in report.answers if answer.trace)
    assert [part.text for step in trace.steps for part in trace.parts(step)] == [
        "pass",
        "pass",
        "pass",
        "ValueError: nobody there",
    ]


def test_states_of_one_process_are_not_sent_to_others(ring: Path) -> None:
    with pytest.raises(OuroborosError, match="one worker"):
        explore(load(f"{ring}::ring"), team=Team(2))


def test_a_class_that_is_not_compiled_says_why(tmp_path: Path) -> None:
    text = """
    import math
    from ouroboros.python import Array, Int, Model, Set, action, choose, invariant

    class Jugs(Model):
        compiled = False
        filled: Array[Int[0, 5], 2]
        seen: Set[Int[0, 5]]

        @action
        def fill(self, which: Int[0, 1]):
            self.filled[which] = [3, 5][which]

        @action
        def pour(self, which: Int[0, 1]):
            try:
                room = [3, 5][1 - which] - self.filled[1 - which]
            finally:
                poured = min(self.filled[which], room)
            self.filled[which] -= poured
            self.filled[1 - which] += poured

        @action
        def empty(self, which: Int[0, 1]):
            self.filled[which] = 0

        @invariant
        def not_four(self, n: Int[4, 5]):
            return n == 5 or self.filled[1] != n
    """
    file = tmp_path / "jugs.py"
    file.write_text(textwrap.dedent(text))
    model = load(file)
    assert explore(model).statistics.states == 16
    report = check(model)
    assert report.verdict == Verdict.VIOLATED
    assert report.trace is not None
    assert len(report.trace.steps) == 6
    (warning,) = report.warnings
    assert "`try` cannot be compiled" in warning
    assert "jugs.py:16:9" in warning


MANY = """
from ouroboros.python import Step

class Many:
    def __init__(self, raises=False, named=False):
        self.raises, self.named = raises, named

    def initial(self):
        return 0

    def successors(self, state):
        if self.raises and state % 50 == 49:
            raise ValueError(state)
        for each in range(state + 1, min(state + 1 + state % 40, 500)):
            yield Step("on", each) if self.named and state > 300 else each
        if state < 499:
            yield state + 1

plain, raising, named = Many(), Many(raises=True), Many(named=True)
"""


@pytest.mark.parametrize("name", ["plain", "raising", "named"])
@pytest.mark.parametrize("algorithm", ["ndfs", "owcty"])
def test_states_that_are_asked_together_say_what_each_says_alone(name: str, algorithm: Any, tmp_path: Path) -> None:
    """Steps that have names from a certain state on, states that raise something, and more successors than expected."""
    file = tmp_path / "many.py"
    file.write_text(textwrap.dedent(MANY))
    model = load(f"{file}::{name}")
    seen, edges, waiting = {0}, 0, [0]
    foreign = model.system.foreign
    assert foreign is not None
    while waiting:
        steps = foreign.steps((waiting.pop(),))
        edges += len(steps)
        fresh = {step.state[0] for step in steps if step.state} - seen
        seen |= fresh
        waiting += fresh
    raises = name == "raising"
    statistics = explore(load(f"{file}::{name}")).statistics
    # All steps that fail lead to one state of their own.
    assert (statistics.states, statistics.transitions) == (len(seen) + raises, edges)
    report = check(load(f"{file}::{name}"), ltl=["G state < 500"], algorithm=algorithm)
    assert report.verdict == ("violated" if raises else "holds"), report.reason


def test_a_picture_of_a_state(tmp_path: Path) -> None:
    file = tmp_path / "drawn.py"
    text = """
        from ouroboros.python import *

        class Count:
            def initial(self):
                return 1

            def successors(self, state):
                return [(state + 1) % 3]

            def as_svg(self, state):
                return f"<svg><text>{6 // state}</text></svg>"

        count = Count()

        class Class(Model):
            compiled = False
            x: Int[0, 3] = 2

            @action
            def up(self):
                self.x = (self.x + 1) % 4

            def as_svg(self):
                return f"<svg><text>{self.x}</text></svg>"
    """
    file.write_text(textwrap.dedent(text))
    model = load(f"{file}::count")
    assert model.picture((0,)) == "<svg><text>6</text></svg>"  # type: ignore[attr-defined]
    explore(model)
    with pytest.raises(OuroborosError, match=r"Count\.as_svg: ZeroDivisionError"):
        model.picture((2,))  # type: ignore[attr-defined]
    assert load(f"{file}::Class").picture((0,)) == "<svg><text>2</text></svg>"  # type: ignore[attr-defined]
