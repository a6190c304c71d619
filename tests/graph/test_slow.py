"""A base graph whose steps Python makes, one state at a time: it learns on the way how many successors a state has."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import pytest

from ouroboros.checking import check, explore
from ouroboros.engine.team import Team
from ouroboros.languages import Abilities
from ouroboros.source import Source
from ouroboros.system.choices import Action, All, Part
from ouroboros.system.expressions import Observed
from ouroboros.system.foreign import CROWDED, Machine
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.model import Failure, Proposition, System
from ouroboros.verdict.report import Verdict

_WORDS = ctypes.POINTER(ctypes.c_uint64)
_LABELS = ctypes.POINTER(ctypes.c_uint32)
_FAILS = 1 << 31


class Fan:
    """From n to all larger numbers up to a last one, from which all goes back to zero, or fails."""

    def __init__(self, last: int, fails: bool) -> None:
        self.last, self.fails = last, fails
        self.most_successors = 1

    def targets(self, number: int) -> list[int]:
        return list(range(number + 1, self.last + 1)) or [0]

    def machine(self) -> Machine:
        @ctypes.CFUNCTYPE(ctypes.c_int32, _WORDS, _WORDS, _LABELS)
        def successors(state: Any, out: Any, labels: Any) -> int:
            targets = self.targets(state[0])
            if len(targets) > self.most_successors:
                self.most_successors = len(targets)
                return CROWDED
            for number, target in enumerate(targets):
                failing = self.fails and target == 0
                out[number] = 0 if failing else target
                labels[number] = _FAILS if failing else 0
            return len(targets)

        @ctypes.CFUNCTYPE(ctypes.c_uint64, _WORDS)
        def valuation(state: Any) -> int:
            return int(state[0] == self.last)

        address = [ctypes.cast(each, ctypes.c_void_p).value or 0 for each in (successors, valuation)]
        return Machine(*address, (successors, valuation))

    def steps(self, state: Vector) -> list[Step]:
        return [
            Step(0, None, 0, parts=(_part("back"),))
            if self.fails and target == 0
            else Step(0, (target,), parts=(_part(f"to {target}"),))
            for target in self.targets(state[0])
        ]

    def observe(self, state: Vector) -> int:
        return int(state[0] == self.last)

    def remarks(self) -> tuple[str, ...]:
        return ()

    def shown(self, state: Vector) -> Mapping[str, int | str]:
        return {"number": state[0], **({"last": "yes"} if state[0] == self.last else {})}


def _part(text: str) -> Part:
    return Part("fan", text, None)


class FanModel:
    abilities = Abilities()

    def __init__(self, last: int, fails: bool = False) -> None:
        self.system = System(
            name="fan",
            language="fans",
            source=Source("fan", str(last)),
            layout=Layout((Field("number", "fan", 64),)),
            initial=((0,),),
            actions=(Action((_part("go"),), ()),),
            choices=All(()),
            failures=(Failure("error", "there is no way back", None),),
            deadlock="stuttering",
            foreign=Fan(last, fails),
        )

    def proposition(self, source: Source) -> Proposition:
        return Proposition("last", Observed(0))


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("last", [1, 3, 200])
def test_buffers_grow_with_what_it_learns(last: int, workers: int) -> None:
    (answer,) = explore(FanModel(last), team=Team(workers)).answers
    found = answer.search.statistics
    assert (found.states, found.transitions, found.deadlocks) == (last + 1, last * (last + 1) // 2 + 1, 0)


@pytest.mark.parametrize(
    "search",
    [{"algorithm": "ndfs"}, {"algorithm": "owcty"}, {"algorithm": "map"}, {"fairness": "weak"}, {"store": "bitstate"}],
    ids=str,
)
def test_so_it_does_in_searches_for_cycles(search: dict[str, Any]) -> None:
    (answer,) = check(FanModel(50), ltl=["F G !last"], **search).answers
    assert answer.verdict in (Verdict.HOLDS, Verdict.VIOLATED)
    (answer,) = check(FanModel(50), ltl=["G F last"], **search).answers
    assert answer.verdict is (Verdict.UNKNOWN if search.get("store") == "bitstate" else Verdict.HOLDS)


def test_a_failing_step_is_told_as_it_was_made() -> None:
    report = check(FanModel(30, fails=True))
    trace = next(answer.trace for answer in report.answers if answer.trace)
    assert [part.text for step in trace.steps for part in trace.parts(step)] == ["to 30", "back"]
    assert trace.violation.message == "there is no way back"
    (change,) = trace.differences.between((0,), (29,))
    assert change.text == "number: 0 → 29"
    assert [one.text for one in trace.differences.between((30,), (0,))] == ["number: 30 → 0", "last is gone"]
