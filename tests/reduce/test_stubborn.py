"""Stubborn sets: what they leave, that machine code and tables agree, and that the referee finds a fault, or none."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from ouroboros.checking import check, explore
from ouroboros.engine.team import Team
from ouroboros.languages import dve, load, promela
from ouroboros.reduce.referee import Referee
from ouroboros.reduce.stubborn import Stubborn
from ouroboros.source import Source
from ouroboros.system.interpret import successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import ReductionKind, System
from tests.native.machine import Machine

MODELS = sorted((Path(__file__).parent / "models").glob("*.pml"))
HARMLESS = {"last_in_ltl", "xr_kept", "xs_misuse_dstep"}
"""Models of the kind in which no two steps are possible together that concern each other."""
EXAMPLES = sorted(
    path for path in Path("examples").glob("*/*") if path.suffix not in (".ltl", ".q") and path.parent.name != "cesmi"
)

LOCAL = "byte x; active [2] proctype P() { byte i, j; x++; i = 1; j = i; i = j + 1; x = x + i }"
FIFO = """byte got; chan q = [3] of { byte };
active proctype S() { byte i; do :: i < 3 -> q!i; i++ :: else -> break od }
active proctype R() { byte v; do :: q?v; got = v od }"""


def table(philosophers: int) -> str:
    """Everybody takes the fork on the left first."""
    forks = f"byte fork[{philosophers}];"
    sits = [
        f"""process P{i} {{ state thinking, waiting, eating; init thinking; trans
        thinking -> waiting {{ guard fork[{i}] == 0; effect fork[{i}] = 1; }},
        waiting -> eating {{ guard fork[{(i + 1) % philosophers}] == 0; effect fork[{(i + 1) % philosophers}] = 1; }},
        eating -> thinking {{ effect fork[{i}] = 0, fork[{(i + 1) % philosophers}] = 0; }}; }}"""
        for i in range(philosophers)
    ]
    return "\n".join([forks, *sits, "system async;"])


def reachable(system: System, most: int = 400) -> Iterable[Vector]:
    seen = dict.fromkeys(system.initial)
    waiting = deque(seen)
    while waiting and len(seen) < most:
        for step in successors(system, waiting.popleft()):
            if step.state is not None and step.state not in seen:
                seen[step.state] = None
                waiting.append(step.state)
    return seen


@pytest.mark.parametrize("path", [*MODELS, *EXAMPLES], ids=lambda path: path.stem)
def test_the_referee_finds_nothing_wrong_in(path: Path) -> None:
    model = load(path)
    stubborn = Stubborn(model.system)
    if stubborn.refusal:
        return
    observed = [item.expression for item in model.system.assertions]
    referee = Referee(stubborn.facts, stubborn.for_states(observed), observed)
    assert [each.told(model.system) for each in referee.everywhere(150)] == []


@pytest.mark.parametrize("path", [path for path in MODELS if path.stem not in HARMLESS], ids=lambda path: path.stem)
def test_the_referee_finds_what_was_taken_for_granted_once(path: Path) -> None:
    """These models were judged wrongly, or their claims not checked, since steps were said not to concern others."""
    model = load(path)
    explore(model)
    stubborn = Stubborn(model.system)
    tables = stubborn.for_states([])
    assert not any(Referee(stubborn.facts, tables).everywhere(300))
    forgetful = replace(tables, discord=[1 << number for number in range(len(tables.discord))])
    assert any(Referee(stubborn.facts, forgetful).everywhere(300))


@pytest.mark.parametrize("path", [*MODELS, *EXAMPLES], ids=lambda path: path.stem)
def test_machine_code_chooses_what_the_tables_say(path: Path) -> None:
    model = load(path)
    stubborn = Stubborn(model.system)
    if stubborn.refusal:
        return
    tables = stubborn.for_states([])
    referee = Referee(stubborn.facts, tables)
    machine = Machine(model.system, stubborn=tables)
    for state in reachable(model.system):
        whole = successors(model.system, state)
        if any(step.before or step.state is None for step in whole):
            # Machine code gives single steps, also to transient states.
            continue
        chosen = {(step.action, step.state) for step in referee.chosen(state)}
        assert {(step.action, step.state) for step in machine.successors(state)} == chosen


def test_philosophers_need_a_number_of_states_that_is_not_exponential() -> None:
    def states(philosophers: int, *reductions: ReductionKind) -> int:
        model = dve.load(Source("table.dve", table(philosophers)))
        report = check(model, properties=["deadlock"], reductions=reductions)
        assert report.verdict.value == "violated"
        return explored(model.system, reductions)

    def explored(system: System, reductions: tuple[ReductionKind, ...]) -> int:
        """All states, though a violation would end a search."""
        stubborn = Stubborn(system)
        referee = Referee(stubborn.facts, stubborn.for_states([]))
        seen = dict.fromkeys(system.initial)
        waiting = deque(seen)
        while waiting:
            state = waiting.popleft()
            for step in referee.chosen(state) if reductions else successors(system, state):
                if step.state is not None and step.state not in seen:
                    seen[step.state] = None
                    waiting.append(step.state)
        return len(seen)

    # Without reductions n philosophers have about 2.4 to the power of n states.
    assert [states(n) for n in (2, 3, 4, 5)] == [6, 14, 34, 82]
    assert [states(n, "partial order") for n in (2, 3, 4, 5)] == [2 * n * n - 2 * n + 2 for n in (2, 3, 4, 5)]


@pytest.mark.parametrize("text", [LOCAL, FIFO])
def test_the_same_states_for_any_number_of_workers(text: str) -> None:
    counts = {
        check(
            promela.load(Source("model.pml", text)), reductions={"partial order"}, team=Team(workers)
        ).statistics.states
        for workers in (1, 2, 3)
    }
    assert len(counts) == 1


def test_sending_and_receiving_are_in_accord() -> None:
    model = promela.load(Source("model.pml", FIFO))
    stubborn = Stubborn(model.system)
    texts = [model.system.actions[each.action].parts[0].text for each in stubborn.transitions]
    send, receive = texts.index("q!i"), texts.index("q?v")
    assert not stubborn.relations.discord[send] >> receive & 1
