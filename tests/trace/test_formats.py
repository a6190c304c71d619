"""Traces as people and programs read them."""

from __future__ import annotations

from ouroboros.search.outcome import Finding
from ouroboros.trace.data import trace_data
from ouroboros.trace.replay import replay
from ouroboros.trace.text import Row, initial_state, rows
from ouroboros.trace.trace import Trace

from .handmade import counter
from .test_replay import path


def failing() -> Trace:
    system = counter(3, slots=1).system
    return replay(system, Finding("failure", path(system, 2)))


def test_the_initial_state_is_shown_in_full() -> None:
    assert list(initial_state(failing())) == [("globals", "turn: 0, slot: 0"), ("B", "idle")]


def test_a_row_shows_who_where_what_and_only_what_changed() -> None:
    assert list(rows(failing())) == [
        Row(
            "1",
            "A → B",
            "line 4, line 5",
            "turn = turn + 1 | slot[turn] = 1",
            "turn: 0 → 1, slot[0]: 0 → 1, B: idle → busy",
        ),
        Row(
            "2",
            "A → B",
            "line 4, line 5",
            "turn = turn + 1 | slot[turn] = 1",
            "fails: index out of range: slot has too few elements",
        ),
    ]


def test_data_has_the_same_in_plain_values() -> None:
    data = trace_data(failing())
    assert data["initial"] == {"globals": {"turn": 0, "slot": [0]}, "B": {"B": "idle"}}
    first, last = data["steps"]
    assert first["parts"][0] == {
        "process": "A",
        "statement": "  turn = turn + 1",
        "file": "counter.handmade",
        "line": 4,
        "column": 1,
    }
    assert {"name": "B", "before": "idle", "after": "busy"} in first["changes"]
    assert last["changes"] == []
    assert last["failure"]["kind"] == "index"
    assert data["loop_start"] is None
