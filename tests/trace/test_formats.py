"""Traces as people and programs read them."""

from __future__ import annotations

from dataclasses import replace

from ouroboros.system.choices import All
from ouroboros.system.layout import Field, Layout
from ouroboros.trace.itf import trace_itf
from ouroboros.trace.lasso import replay_beside
from ouroboros.trace.replay import replay
from ouroboros.trace.text import Head, Row, initial_state, rows
from ouroboros.verdict.outcome import Finding
from ouroboros.verdict.trace import Trace

from .handmade import AWAY, counter, placed, watched
from .test_replay import path


def failing() -> Trace:
    system = counter(3, slots=1).system
    return replay(system, Finding("failure", path(system, 2)))


def test_the_initial_state_is_shown_in_full() -> None:
    assert list(initial_state(failing())) == [("globals", "turn: 0, slot: 0"), ("B", "idle")]


def test_a_row_shows_who_where_what_and_only_what_changed() -> None:
    head = Head("A → B", "4,5", "turn = turn + 1 | slot[turn] = 1")
    assert list(rows(failing())) == [
        Row(1, head, ("turn: 0 → 1", "slot[0]: 0 → 1", "B: idle → busy"), "", False),
        Row(2, head, ("fails: index out of range: slot has too few elements",), "", False),
    ]


def ended() -> Trace:
    """A counts to 1, and there the run ends; the automaton goes along when it can no longer stay."""
    system, watcher = watched(counter(1, extends=True))
    start, end = path(system, 2)
    away = placed(system, watcher, end, AWAY)
    return replay_beside(system, watcher, Finding("cycle", [start, end, away], [away]))


def test_the_automaton_is_shown_where_it_moves_and_the_cycle_is_marked() -> None:
    trace = ended()
    assert list(initial_state(trace))[-1] == ("automaton", "home")
    shown = [(row.head.statement, row.changes, row.automaton, row.in_cycle) for row in rows(trace)]
    assert shown[1:] == [
        ("no step is possible, the state repeats", (), "automaton: away", False),
        ("no step is possible, the state repeats", (), "", True),
    ]
    assert shown[0][2:] == ("", False)


ORIGIN = {"source": "counter.handmade", "algorithm": "owcty"}


def test_a_lasso_in_the_informal_trace_format() -> None:
    data = trace_itf(ended(), ORIGIN)
    assert data["vars"] == ["turn", "slot", "B"]
    assert data["loop"] == 2
    assert [state["turn"] for state in data["states"]] == [0, 1, 1, 1]
    assert [state["#meta"]["automaton"] for state in data["states"]] == ["home", "home", "away", "away"]
    assert data["states"][0] == {
        "#meta": {"index": 0, "automaton": "home"},
        "turn": 0,
        "slot": [0] * 8,
        "B": "idle",
    }
    assert data["states"][3]["#meta"] == {"index": 3, "automaton": "away", "action": None}
    assert {name: data["#meta"][name] for name in ("format", "source", "algorithm", "steps")} == {
        "format": "ITF",
        **ORIGIN,
        "steps": 3,
    }


def test_a_finite_trace_in_the_informal_trace_format() -> None:
    data = trace_itf(failing(), ORIGIN)
    assert "loop" not in data
    assert [state["B"] for state in data["states"]] == ["idle", "busy"]
    sender = {
        "process": "A",
        "statement": "  turn = turn + 1",
        "file": "counter.handmade",
        "line": 4,
        "column": 1,
    }
    assert data["states"][1]["#meta"]["action"][0] == sender
    # The second step fails, and leads to no state.
    violation = data["#meta"]["violation"]
    assert (data["#meta"]["steps"], violation["kind"], violation["failure"]) == (2, "failure", "index")
    assert violation["action"][0] == sender


def test_a_number_that_floating_point_cannot_hold_is_a_text() -> None:
    item = Field("wide", "globals", 64, initial=(2**53,))
    layout = Layout((item, Field("narrow", "globals", 64, initial=(2**53 - 1,))))
    system = replace(counter(0).system, layout=layout, initial=(layout.initial(),), choices=All(()))
    data = trace_itf(replay(system, Finding("deadlock", [layout.initial()])), ORIGIN)
    assert data["states"][0]["wide"] == {"#bigint": str(2**53)}
    assert data["states"][0]["narrow"] == 2**53 - 1
