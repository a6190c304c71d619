"""Models in UPPAAL's format: read, counted, asked; and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.checking import check, explore
from ouroboros.errors import InputError
from ouroboros.languages.uppaal import UppaalModel, load
from ouroboros.source import Source
from ouroboros.verdict.clocks import told_clocks
from ouroboros.verdict.differences import Differences

EXAMPLES = Path(__file__).parents[3] / "examples" / "uppaal"


def _example(name: str, **values: int) -> UppaalModel:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    for constant, value in values.items():
        text = text.replace(f"const int {constant} = 4;", f"const int {constant} = {value};")
    return load(Source(name, text))


def _text(text: str) -> UppaalModel:
    return load(Source("model.xta", text))


def _count(model: UppaalModel) -> tuple[int, int]:
    statistics = explore(model).statistics
    return statistics.states, statistics.transitions


@pytest.mark.parametrize(
    ("processes", "states", "equal_bounds"), [(2, (18, 26), (21, 30)), (4, (292, 576), (915, 2004))]
)
def test_fischer_has_as_many_zones_as_other_tools_count(
    processes: int, states: tuple[int, int], equal_bounds: tuple[int, int]
) -> None:
    model = _example("fischer.xml", N=processes)
    assert _count(model) == states
    assert _count(model.with_equal_bounds()) == equal_bounds


def test_each_query_has_a_verdict_of_its_own() -> None:
    report = check(_example("fischer.xml"))
    assert {answer.property: str(answer.verdict) for answer in report.answers} == {
        "mutual exclusion": "holds",
        "never stuck": "holds",
        "a request is written down": "holds",
        "the first process can enter": "holds",
    }


def test_queries_of_a_model_without_clocks_are_answered_with_reductions() -> None:
    """What is kept of reductions is known by the system, of which questions that make systems are no part."""
    model = _text(
        "int n = 0; process P(const int k) { state s, t; init s; trans s -> t { guard n < 3; assign n = n + k; }; } "
        "One = P(1); Two = P(2); system One, Two;"
    )
    for query in ("E<> n == 3", "A[] n != 4", "One.s --> One.t"):
        model = model.with_query(query)
    assert [str(answer.verdict) for answer in check(model).answers] == ["holds", "holds", "holds", "violated"]


def test_clocks_in_queries() -> None:
    model = _example("lamp.xta")
    for query, verdict in {
        "E<> Lamp.bright and User.waited < 5": "holds",
        "A[] Lamp.bright imply User.waited < 5": "violated",
        "A[] Lamp.dim imply Lamp.x == User.waited or User.waited < 0": "holds",
        "E<> Lamp.dim and Lamp.x - User.waited > 3": "violated",
        "E<> Lamp.dim and Lamp.x >= 5 and User.waited >= 5": "holds",
    }.items():
        (answer,) = [
            each for each in check(model.with_query(query), properties=[query]).answers if each.property == query
        ]
        assert str(answer.verdict) == verdict, query


def test_a_run_that_waits_for_ever_is_a_run() -> None:
    waits = "clock x; process P() { state s, t; init s; trans s -> t { guard x >= 1; }; } system P;"
    urged = waits.replace("state s,", "state s { x <= 2 },")
    for text, verdict in ((waits, "violated"), (urged, "holds")):
        report = check(_text(text).with_query("A<> P.t"), properties=["A<> P.t"])
        assert str(report.verdict) == verdict


def test_a_timelock_is_a_deadlock() -> None:
    report = check(
        _text("clock x; process P() { state s { x <= 2 }, t; init s; trans s -> t { guard x >= 3; }; } system P;")
    )
    assert str(report.verdict) == "violated"
    assert report.property_name == "deadlock"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        # Updates of who sends come first.
        (
            "chan a; int v; int w; process P() { state s, t; init s; trans s -> t { sync a!; assign v = 1; }; }"
            " process Q() { state s, t; init s; trans s -> t { sync a?; assign w = v; }; } system P, Q;",
            (2, 1),
        ),
        # Where someone is committed, he takes part.
        (
            "chan a; process P() { state s, t; commit s; init s; trans s -> t { sync a!; }; }"
            " process Q() { state s, t, u; init s; trans s -> t { sync a?; }, s -> u { }; }"
            " process R() { state s, t; init s; trans s -> t { }; } system P, Q, R;",
            (3, 2),
        ),
        # A broadcast whose receiver's invariant fails does not happen.
        (
            "broadcast chan a; clock x; process P() { state s, t; init s; trans s -> t { guard x >= 3; sync a!; }; }"
            " process Q() { state s, t { x <= 2 }; init s; trans s -> t { sync a?; }; } system P, Q;",
            (1, 0),
        ),
        # Arrays of broadcast channels are broadcast channels.
        (
            "broadcast chan a[2]; process P() { state s, t; init s; trans s -> t { sync a[0]!; }; } system P;",
            (2, 1),
        ),
        # A meta variable is no part of the state.
        (
            "meta int m; int v; process P() { state s; init s; trans"
            " s -> s { guard v < 3; assign m = m + 1, v = v + 1; },"
            " s -> s { guard v == 3; assign v = 0; }; } system P;",
            (4, 4),
        ),
        # Scalars are values like others as long as nobody asks for symmetry.
        (
            "typedef scalar[3] S; int n[S]; process P(S i) { state s, t; init s; trans s -> t { assign n[i] = 1; }; }"
            " system P;",
            (8, 12),
        ),
        # A data invariant decides whether a step exists.
        (
            "int v; clock x; process P() { state s, t { v < 1 }; init s; trans s -> t { assign v = v + 1; },"
            " s -> t { assign x = 0; }; } system P;",
            (2, 1),
        ),
    ],
)
def test_semantics(text: str, count: tuple[int, int]) -> None:
    assert _count(_text(text)) == count


def test_a_value_out_of_range_is_a_failure() -> None:
    edge = "s -> s { guard x >= 1; assign v = v + 1, x = 0; }"
    model = _text(f"int[0,3] v; clock x; process P() {{ state s; init s; trans {edge}; }} system P;")
    report = check(model, properties=["assertions"])
    assert str(report.verdict) == "violated"
    assert "does not fit v" in str(report.reason)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("clock x; process P() { state s, t; init s; trans s -> t { guard x != 2; }; } system P;", "is not supported"),
        ("clock x; process P() { state s { x >= 1 }; init s; } system P;", "bound a clock from below"),
        ("clock x, y; process P() { state s; init s; trans s -> s { assign x = y; }; } system P;", "value of another"),
        (
            "clock x, y; int v; process P() { state s; init s; trans s -> s { guard x - y < v; }; } system P;",
            "a number that never changes",
        ),
        ("clock x = 3; process P() { state s; init s; } system P;", "initial value"),
        (
            "int f(int n) { return f(n - 1); }"
            " process P() { state s; init s; trans s -> s { guard f(1) == 0; }; } system P;",
            "calls itself",
        ),
        (
            "urgent chan a; clock x;"
            " process P() { state s; init s; trans s -> s { guard x > 1; sync a!; }; } system P;",
            "urgent channel",
        ),
        ("process P() { state s; init s; trans s -> s { guard v == 0; }; } system P;", "v is not declared"),
        ("int v; process P() { state s; init s; trans s -> s { guard v++ == 0; }; } system P;", "must not change v"),
        ("process P() { state s; init t; } system P;", "no state t"),
        ("process P() { state s; init s; trans s -> t { }; } system P;", "no state t"),
        ("process P() { state s; init s; trans t -> s { }; } system P;", "no state t"),
        ("clock x; process P() { state s { x' == 0 }; init s; } system P;", "rates"),
        ("double d; process P() { state s; init s; } system P;", "double"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        _text(text)
    assert caught.value.span is not None


def _xml(declaration: str = "", guard: str = "", head: str = "") -> str:
    return (
        f'<?xml version="1.0"?>{head}<nta><declaration>{declaration}</declaration><template><name>P</name>'
        '<location id="a"><name>first</name></location><init ref="a"/><transition><source ref="a"/><target ref="a"/>'
        f'<label kind="guard">{guard}</label></transition></template><system>system P;</system></nta>'
    )


def test_errors_in_xml_say_where() -> None:
    with pytest.raises(InputError) as caught:
        load(Source("model.xml", _xml(guard="1 &lt; 2 &amp;&amp; nobody")))
    assert caught.value.span is not None
    assert caught.value.span.text == "nobody"
    assert "guard of the transition from first to first of template P" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_xml(head='<!DOCTYPE nta [<!ENTITY e SYSTEM "file:///etc/passwd">]>', declaration="&e;"), "defines an entity"),
        (_xml(head='<!DOCTYPE nta [<!ENTITY e "int v;">]>', declaration="&e;"), "defines an entity"),
        (_xml().replace("</system>", ""), "not well-formed"),
        (_xml().replace("<system>", "<sistem>").replace("</system>", "</sistem>"), "no element of"),
        ("<html></html>", "root of the file"),
    ],
)
def test_bad_xml(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(Source("model.xml", text))


def test_ltl_over_locations() -> None:
    model = _example("fischer.xml", N=2)
    assert str(check(model, ltl=["!([]<> P(1).critical)"]).verdict) == "violated"
    assert str(check(model, ltl=["[] !(P(1).critical && P(2).critical)"]).verdict) == "holds"
    with pytest.raises(InputError, match="clocks in formulas"):
        check(model, ltl=["[] (P(1).x < 5)"])


def test_an_invariant_with_clocks_speaks_of_all_valuations() -> None:
    model = _example("fischer.xml", N=2)
    assert str(check(model, invariants=["P(1).request imply P(1).x <= 2"]).verdict) == "holds"
    assert str(check(model, invariants=["P(1).wait imply P(1).x <= 2"]).verdict) == "violated"


def test_a_trace_tells_what_is_known_of_clocks() -> None:
    text = (
        "clock x, y; process P() { state s { x <= 2 }, t { y <= 3 }; init s;"
        " trans s -> t { guard x >= 1; assign x = 0; }, t -> s { guard x > 2; }; } system P;"
    )
    model = _text(text).with_equal_bounds()
    (initial,) = model.system.initial
    assert told_clocks(model.system, initial) == "x <= 2, y <= 2, x = y"
    trace = check(model, invariants=["not P.t"]).trace
    assert trace is not None
    (step,) = trace.steps
    assert step.state is not None
    changes = Differences(trace.system, frozenset()).between(trace.initial, step.state)
    assert [change.text for change in changes] == [
        "P: s → t",
        "clocks: x <= 2, y >= 1, y <= 3, x - y >= -2, x - y <= -1",
    ]


AVOIDING = """
clock x;
process P() {{
    state s {invariant}, t, end;
    init s;
    trans s -> t {{ guard {guard}; }}, t -> t {{ guard {again}; assign x = 0; }};
}}
system P;
"""


@pytest.mark.parametrize(
    ("invariant", "guard", "again", "verdicts"),
    [
        # Waiting in s keeps the step possible.
        ("", "x >= 1", "x < 0", {"E[] not deadlock": "holds", "A<> deadlock or P.t": "violated"}),
        # Who waits too long in s is stuck, and who goes on is stuck in t.
        ("", "x <= 1", "x < 0", {"E[] not deadlock": "violated", "A<> deadlock": "holds", "P.s --> deadlock": "holds"}),
        # In t one can go on for ever, or wait for too long.
        ("{ x <= 2 }", "x >= 1", "x <= 2", {"E[] not deadlock": "holds", "A<> deadlock": "violated"}),
        ("{ x <= 2 }", "x >= 1", "x <= 2", {"P.t --> deadlock": "violated", "E[] not deadlock and P.s": "violated"}),
        ("{ x <= 2 }", "x >= 1", "x > 2", {"P.s --> deadlock or P.t": "holds", "E[] P.t and not deadlock": "violated"}),
    ],
)  # fmt: skip
def test_runs_that_avoid_deadlocks(invariant: str, guard: str, again: str, verdicts: dict[str, str]) -> None:
    model = _text(AVOIDING.format(invariant=invariant, guard=guard, again=again))
    for query, verdict in verdicts.items():
        assert str(check(model.with_query(query), properties=[query]).verdict) == verdict, query


@pytest.mark.parametrize("query", ["A<> deadlock and P.t", "deadlock --> P.t", "E[] deadlock", "A<> not deadlock"])
def test_other_questions_about_runs_and_deadlocks_are_refused(query: str) -> None:
    model = _text(AVOIDING.format(invariant="", guard="x >= 1", again="x < 0")).with_query(query)
    with pytest.raises(InputError, match="whether runs must come to it"):
        check(model, properties=[query])
