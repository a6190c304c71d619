"""What models do, by the reference interpreter."""

from __future__ import annotations

import re

import pytest

from ouroboros.system.interpret import evaluate, successors, valuation
from tests.languages.dve.models import (
    EVERYTHING,
    MUTEX,
    explore,
    loaded,
    only_step,
    process,
    source,
    values,
)

AB = "state a, b; init a; "


def test_mutex() -> None:
    assert explore(loaded(MUTEX).system) == (13, 24, 0, 0)


def test_everything_lowers() -> None:
    system = loaded(EVERYTHING).system
    assert list(system.layout.components) == ["globals", "Sender", "Receiver", "queue"]
    assert [automaton.name for automaton in system.automata] == ["Watch"]
    assert system.processes == ("Sender", "Receiver")
    assert explore(system).states > 1


OVERFLOWING = "byte b = 300; int i = 32767; " + process(AB + "trans a -> b { effect b = b - 45, i = i + 1; };")


def test_bytes_and_ints_wrap_if_asked_to() -> None:
    system = loaded(OVERFLOWING + "system async;", "wrap").system
    assert values(system, system.initial[0])["b"] == 44
    after = values(system, only_step(system))
    assert (after["b"], after["i"], after["P"]) == (255, -32768, "b")


def test_a_value_that_does_not_fit_its_variable_is_an_overflow() -> None:
    system = loaded(OVERFLOWING + "system async;").system
    (step,) = successors(system, system.initial[0])
    assert step.failure is not None
    failure = system.failures[step.failure]
    assert failure.kind == "overflow"
    assert failure.span is not None
    assert failure.span.text == "b"
    assert "`b`, which holds 0 to 255" in failure.message


def test_no_overflow_is_looked_for_where_there_can_be_none() -> None:
    text = "byte b, c; int i; " + process(AB + "trans a -> b { effect b = c % 7, i = b - c, c = b & 255, b = b < c; };")
    assert loaded(text + "system async;").system.failures == ()


def test_effects_see_those_before_them_and_the_old_state() -> None:
    text = "byte x, y, z; " + process(AB + "trans a -> b { effect x = 1, y = x + 1, z = P.a; };") + "system async;"
    system = loaded(text).system
    after = values(system, only_step(system))
    assert (after["x"], after["y"], after["z"]) == (1, 2, 1)


def test_handshake() -> None:
    """Values from before the step; then the receiver's effects, then the sender's."""
    sender = process(
        AB + "trans a -> b { guard x == 5; sync c!{x, x + 1}; effect x = 7, order = order * 10 + 1; };", "S"
    )
    receiver = process(
        "byte i; " + AB + "trans a -> b { sync c?{x, got[x % 2]}; effect order = order * 10 + 2; };", "R"
    )
    text = "byte x = 5, got[2]; int order; channel c; " + sender + receiver + "system async;"
    system = loaded(text).system
    (step,) = successors(system, system.initial[0])
    assert step.action is not None
    assert [part.process for part in system.actions[step.action].parts] == ["S", "R"]
    assert step.state is not None
    after = values(system, step.state)
    assert (after["x"], after["got[1]"], after["order"]) == (7, 6, 21)
    assert (after["S"], after["R"]) == ("b", "b")


def test_nobody_shakes_hands_with_itself() -> None:
    text = "channel c; " + process(AB + "trans a -> b { sync c!; }, a -> b { sync c?; };") + "system async;"
    assert explore(loaded(text).system) == (1, 0, 1, 0)


def test_a_byte_stays_a_byte_on_its_way() -> None:
    sender = process(AB + "trans a -> b { sync c!300; };", "S")
    receiver = process("int got; " + AB + "trans a -> b { sync c?got; };", "R")
    typed = loaded("channel {byte} c[0]; " + sender + receiver + "system async;").system
    assert values(typed, only_step(typed))["R.got"] == 44
    untyped = loaded("channel c; " + sender + receiver + "system async;").system
    assert values(untyped, only_step(untyped))["R.got"] == 300


def test_buffers_are_first_in_first_out_and_canonical() -> None:
    sender = process("byte n = 1; " + AB + "trans a -> a { sync c!{n, n - 2}; effect n = n + 1; };", "S")
    system = loaded("channel {byte, int} c[2]; " + sender + "system async;").system
    twice = only_step(system, only_step(system))
    assert successors(system, twice) == []
    shown = values(system, twice)
    assert (shown["c.length"], shown["c.0[0]"], shown["c.0[1]"], shown["c.1[0]"]) == (2, 1, 2, -1)

    receiver = process("byte m; int k; " + AB + "trans a -> b { sync c?{m, k}; effect m = m * 10; };", "R")
    once = process(AB + "trans a -> b { sync c!{7, 8}; };", "S")
    system = loaded("channel {byte, int} c[2]; " + once + receiver + "system async;").system
    shown = values(system, only_step(system, only_step(system)))
    assert (shown["R.m"], shown["R.k"], shown["c.length"], shown["c.0[0]"], shown["c.1[0]"]) == (70, 8, 0, 0, 0)


def test_a_buffer_without_values_counts() -> None:
    text = "channel c[3]; " + process("state a; init a; trans a -> a { sync c!; }, a -> a { sync c?; };")
    assert explore(loaded(text + "system async;").system) == (4, 6, 0, 0)


COMMITTED = "channel c; byte x; "


def test_only_committed_processes_move() -> None:
    urgent = process("state a, b; init a; commit a; trans a -> b { guard x == 0; };", "U")
    other = process(AB + "trans a -> b {};", "O")
    assert explore(loaded(COMMITTED + urgent + other + "system async;").system) == (3, 2, 1, 0)


def test_a_blocked_committed_process_blocks_all() -> None:
    urgent = process("state a, b; init a; commit a; trans a -> b { guard x == 1; };", "U")
    other = process(AB + "trans a -> b { effect x = 1; };", "O")
    assert explore(loaded(COMMITTED + urgent + other + "system async;").system) == (1, 0, 1, 0)


def test_a_committed_state_without_transitions_is_no_obstacle() -> None:
    urgent = process("state a; init a; commit a;", "U")
    lonely = process("state a; init a; commit a; trans a -> a { sync c!; };", "L")
    other = process(AB + "trans a -> b {};", "O")
    assert explore(loaded(COMMITTED + urgent + lonely + other + "system async;").system) == (2, 1, 1, 0)


@pytest.mark.parametrize(("receiver_commits", "expected"), [("commit a;", (2, 1, 1, 0)), ("", (1, 0, 1, 0))])
def test_committed_processes_shake_hands_among_themselves(receiver_commits: str, expected: tuple[int, ...]) -> None:
    sender = process("state a, b; init a; commit a; trans a -> b { sync c!; };", "S")
    receiver = process(f"state a, b; init a; {receiver_commits} trans a -> b {{ sync c?; }};", "R")
    assert explore(loaded(COMMITTED + sender + receiver + "system async;").system) == expected


@pytest.mark.parametrize(
    ("clauses", "kind"),
    [
        ("guard y[x] == 0;", "index"),
        ("effect y[x] = 1;", "index"),
        ("guard TABLE[x] == 0;", "index"),
        ("effect x = 1 / (x - 2);", "division"),
        ("effect x = 1 % (x - 2);", "division"),
        ("guard x == 2 and y[x];", "index"),
    ],
)
def test_failures(clauses: str, kind: str) -> None:
    text = f"byte x = 2, y[2]; const byte TABLE[2] = {{4, 5}}; {process(AB + f'trans a -> b {{ {clauses} }};')}"
    system = loaded(text + "system async;").system
    (step,) = successors(system, system.initial[0])
    assert step.failure is not None
    assert system.failures[step.failure].kind == kind


@pytest.mark.parametrize("guard", ["x == 3 and y[x]", "x == 2 or y[x]", "x != 2 imply y[x]"])
def test_the_right_operand_is_evaluated_only_where_it_matters(guard: str) -> None:
    text = "byte x = 2, y[2]; " + process(AB + f"trans a -> b {{ guard {guard}; }};") + "system async;"
    assert explore(loaded(text).system).failures == 0


def test_constant_arrays_take_no_room() -> None:
    body = "byte i; state a; init a; trans a -> a { guard i < 5; effect sum = sum + SQUARES[i], i = i + 1; };"
    text = "const int SQUARES[5] = {0, 1, 4, 9, -16}; int sum; " + process(body) + "system async;"
    system = loaded(text).system
    assert [field.name for field in system.layout.fields] == ["sum", "P", "P.i"]
    state = system.initial[0]
    for _ in range(5):
        state = only_step(system, state)
    assert values(system, state)["sum"] == -2


def test_assertions_are_required_of_every_state() -> None:
    text = "byte x; " + process(AB + "assert b: x == 1; trans a -> b {}, a -> b { effect x = 1; };") + "system async;"
    system = loaded(text).system
    assert valuation(system, system.initial[0], system.assertions) == [True]
    after = [step.state for step in successors(system, system.initial[0])]
    assert [valuation(system, state, system.assertions) for state in after if state] == [[False], [True]]


def test_property_automaton() -> None:
    watch = process("state n, y; init n; accept y; trans n -> n {}, -> y { guard P.b; };", "W")
    system = loaded(process(AB + "trans a -> b {};") + watch + "system async property W;").system
    (automaton,) = system.automata
    assert (automaton.initial, automaton.accepting) == (0, frozenset({1}))
    assert [(step.origin, step.target) for step in automaton.steps] == [(0, 0), (0, 1)]
    assert automaton.steps[1].text == "n -> y { guard P.b; }"
    assert evaluate(system, system.initial[0], automaton.steps[1].guard) == 0
    assert evaluate(system, only_step(system), automaton.steps[1].guard) == 1
    assert explore(system) == (2, 1, 1, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P.a", 1),
        ("P.b", 0),
        ("P->n == 3", 1),
        ("P.n == 3", 1),
        ("x[2] + P->m[1]", 9),
        ("P.a imply x[0]", 1),
        ("!P.a or x[1] == 2 && true", 1),
    ],
)
def test_propositions_over_the_names_of_a_model(text: str, expected: int) -> None:
    model = loaded("byte x[3] = {1, 2, 4}; " + process("byte n = 3, m[2] = {4, 5}; " + AB) + "system async;")
    proposition = model.proposition(source(text))
    assert proposition.name == text
    assert evaluate(model.system, model.system.initial[0], proposition.expression) == expected


def test_a_proposition_can_fail_at_a_place_of_its_own() -> None:
    model = loaded("byte x[2], i = 2; " + process(AB) + "system async;")
    before = len(model.system.failures)
    model.proposition(source("x[i] == 0"))
    assert [failure.kind for failure in model.system.failures[before:]] == ["index"]


def test_the_text_of_a_step_is_one_line() -> None:
    body = AB + "trans a -> b { // why\n  guard true; /* because */\n  effect x = 1; }, -> a {};"
    system = loaded("byte x; " + process(body) + "system async;").system
    assert [action.parts[0].text for action in system.actions] == ["a -> b { guard true; effect x = 1; }", "a -> a {}"]


def test_an_array_without_an_index_is_its_first_element() -> None:
    declarations = "byte x[2] = {3, 4}, y[2]; const byte k[2] = {5, 6}; channel {byte} c[1]; "
    steps = "trans a -> b { guard x == 3; sync c!x; effect x = k; }, b -> c { sync c?y; };"
    model = loaded(declarations + process("state a, b, c; init a; " + steps) + "system async;")
    system = model.system
    second = only_step(system)
    after = values(system, only_step(system, second))
    assert (values(system, second)["x[0]"], after["x[1]"], after["y[0]"], after["P"]) == (5, 4, 3, "c")
    places = [warning.split(": the array ")[0] for warning in system.warnings]
    assert len(places) == 3, "one for each array, where it is first named like that"
    assert all(re.fullmatch(r"[\w.]+:1:\d+", place) for place in places)
    assert [warning.split("`")[1] for warning in system.warnings] == ["x", "k", "y"]
    assert "write `y[0]`" in system.warnings[2]


def test_expressions_over_a_model_bring_warnings_of_their_own() -> None:
    model = loaded("byte x[2] = {3, 4}; " + process(AB + "byte z[2]; trans a -> b {};") + "system async;")
    assert model.system.warnings == ()
    proposition = model.proposition(source("x == 3 and P.z == 0"))
    assert valuation(model.system, model.system.initial[0], [proposition]) == [True]
    assert [warning.split("`")[1] for warning in model.system.warnings] == ["x", "z"]
