"""Constructs of the language, one after the other: what each means for states, steps and verdicts."""

from __future__ import annotations

import pytest

from ouroboros.checking import check, explore
from ouroboros.errors import InputError
from ouroboros.languages.uppaal import UppaalModel, load
from ouroboros.source import Source


def model_of(text: str) -> UppaalModel:
    return load(Source("model.xta", text))


def count(text: str) -> tuple[int, int]:
    statistics = explore(model_of(text)).statistics
    return statistics.states, statistics.transitions


def verdict(text: str, query: str) -> str:
    report = check(model_of(text).with_query(query), properties=[query])
    return str(next(answer for answer in report.answers if answer.property == query).verdict)


_VALUES = "int v = 2; bool a = true; process P() { state s; init s; } system P;"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # Words bind less than symbols: not (v == 3), and not (not v) == 3.
        ("E<> not v == 3", "holds"),
        ("E<> !v == 3", "violated"),
        ("E<> not v == 2", "violated"),
        # (true || false) and false, and not true || (false && false).
        ("E<> a || v == 0 and v == 1", "violated"),
        ("E<> a || v == 0 && v == 1", "holds"),
        # `imply` groups to the left, with `or`.
        ("E<> v == 0 imply v == 0 imply v == 0", "violated"),
        ("E<> (v == 0 imply (v == 0 imply v == 0))", "holds"),
        ("E<> v == ((not v == 2) ? 7 : 2)", "holds"),
        ("A[] forall (i : int[0,3]) i < 4 and v == 2", "holds"),
    ],
)
def test_precedence(query: str, expected: str) -> None:
    assert verdict(_VALUES, query) == expected


_PEER = "process P() {{ state s, t; init s; trans s -> t {{ sync a; }}, t -> s {{ sync {back}; }}; }}"


@pytest.mark.parametrize(
    ("back", "joined", "expected"),
    [
        # All who joined a channel make its steps together.
        ("a", "IO A {a} IO B {a}", (2, 2)),
        # Who has not joined a channel makes his step alone.
        ("b", "IO A {a} IO B {a}", (4, 5)),
        ("b", "IO A {a, b} IO B {a}", (4, 5)),
        ("b", "IO A {a, b} IO B {a, b}", (2, 2)),
        # Who has joined nothing makes no step of this kind.
        ("b", "IO A {a}", (2, 2)),
        ("b", "", (1, 0)),
    ],
)
def test_steps_that_are_made_together(back: str, joined: str, expected: tuple[int, int]) -> None:
    assert count(f"chan a, b; {_PEER.format(back=back)} A = P(); B = P(); system A, B; {joined}") == expected


def test_three_make_a_step_together_in_the_order_of_the_system_line() -> None:
    text = (
        "chan a[2]; int v; process P(int[1,3] n) { state s, t; init s; trans s -> t { sync a[1];"
        " assign v = 10*v + n; }; }"
        " A = P(1); B = P(2); C = P(3); system C, A, B; IO A {a[1]} IO B {a} IO C {a[1], a[0]}"
    )
    assert count(text) == (2, 1)
    assert verdict(text, "E<> v == 312") == "holds"


def test_a_step_made_together_needs_a_plain_channel() -> None:
    with pytest.raises(InputError, match="needs `!` or `\\?`"):
        model_of("broadcast chan a; process P() { state s; init s; trans s -> s { sync a; }; } system P; IO P {a}")


_RACE = (
    "chan a, b, c[2]; {priority}"
    " process P() {{ state s, t, u, w; init s; trans s -> t {{ sync a!; }}, s -> u {{ sync b!; }}, s -> w {{ }}; }}"
    " process Q() {{ state s, t; init s; trans s -> t {{ sync a?; }}, s -> t {{ sync b?; }}; }} {system}"
)


@pytest.mark.parametrize(
    ("priority", "system", "reached"),
    [
        ("", "system P, Q;", "tuw"),
        ("chan priority a < default < b;", "system P, Q;", "u"),
        ("chan priority b < a;", "system P, Q;", "t"),
        ("chan priority a, b < default;", "system P, Q;", "w"),
        ("chan priority default < a, b;", "system P, Q;", "tu"),
        # Without the other one no step on a channel is possible, and what has a low priority is made.
        ("chan priority a < default < b;", "system P;", "w"),
        # The highest of the processes that take part.
        ("", "system P < Q;", "tu"),
        ("", "system Q < P;", "tuw"),
        # Channels count first.
        ("chan priority a, b < default;", "system P < Q;", "w"),
        ("chan priority c[0], a < default < c[1], b;", "system P, Q;", "u"),
    ],
)
def test_priorities(priority: str, system: str, reached: str) -> None:
    text = _RACE.format(priority=priority, system=system)
    assert "".join(place for place in "tuw" if verdict(text, f"E<> P.{place}") == "holds") == reached


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s -> t { guard x > 1; }", "must not ask for clocks"),
        ("s -> t { }", "must not depend on clocks"),
    ],
)
def test_what_goes_first_must_not_depend_on_clocks(text: str, message: str) -> None:
    template = (
        "clock x; process P() {{ state s, t {{ x <= 3 }}; init s; trans {0}; }}"
        " process Q() {{ state s, t; init s; trans s -> t {{ }}; }} system Q < P;"
    )
    with pytest.raises(InputError, match=message):
        model_of(template.format(text))
    assert count(template.format("s -> t { assign x = 0; }")) == (3, 2)


_RECEIVERS = (
    "broadcast chan a; clock x, y; int v;"
    " process P() { state s { x <= 9 }, t; urgent t; init s; trans s -> t { sync a!; }; }"
    " process Q() { state s, t, u; init s; trans s -> t { guard x >= 2 && y < 5; sync a?; },"
    " s -> u { guard x > 7; sync a?; }; }"
    " process R() { state s, t; init s; trans s -> t { guard v == 0 && x == 3; sync a?; assign x = 0; }; }"
    " system P, Q, R;"
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # Who can receive does, and who cannot does not.
        ("E<> Q.t and x >= 2", "holds"),
        ("E<> Q.t and y < 2", "violated"),
        ("E<> Q.t and y >= 5", "violated"),
        ("E<> P.t and Q.s and y < 2", "holds"),
        ("E<> P.t and Q.s and y >= 2 and y < 5", "violated"),
        ("E<> P.t and Q.s and y >= 5 and y <= 7", "holds"),
        ("E<> P.t and Q.s and y > 7", "violated"),
        ("E<> Q.u and y > 7", "holds"),
        ("E<> Q.u and y <= 7", "violated"),
        # R sets the clock at one moment only.
        ("E<> P.t and R.t and x == 0 and Q.t", "holds"),
        ("E<> P.t and R.s and y == 3", "violated"),
        ("A[] R.t imply y == 3", "holds"),
        ("A[] P.s imply not deadlock", "holds"),
        ("A<> P.t", "holds"),
    ],
)
def test_receivers_of_a_broadcast_may_ask_for_clocks(query: str, expected: str) -> None:
    assert verdict(_RECEIVERS, query) == expected


def test_a_broadcast_is_one_step_for_each_answer_of_its_receivers() -> None:
    text = (
        "broadcast chan a; clock x; process P() { state s, t; init s; trans s -> t { sync a!; }; }"
        " process Q() { state s, t; init s; trans s -> t { guard x >= 2; sync a?; }; } system P, Q;"
    )
    assert count(text) == (3, 2)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # Two clocks come to their bounds, or pass them, in the same moment.
        ("A<> x >= 1 && y >= 1", "holds"),
        ("A<> x > 1 && y > 1", "holds"),
        ("A<> x >= 1 && y < 1", "violated"),
        ("A<> x > 1 && y <= 1", "violated"),
        ("A<> x == 1 && y == 1", "holds"),
        ("A<> x == 1 && z == 3", "violated"),
        ("A<> x == 1 && z == 1", "holds"),
        ("E[] x <= 1 && z <= 1 || x > 1 && z > 1", "holds"),
        # One moment after the other.
        ("A<> x > 1 && y < 3", "holds"),
        ("x >= 1 --> y >= 3", "holds"),
        ("x >= 3 --> y < 3", "violated"),
        ("A<> x - y != 0", "violated"),
    ],
)
def test_clocks_that_come_to_their_bounds_in_the_same_moment(query: str, expected: str) -> None:
    edge = "s -> s { guard x > 5; assign x = 0, y = 0; }"
    text = f"clock x, y, z; process P() {{ state s; init s; trans {edge}; }} system P;"
    assert verdict(text, query) == expected
