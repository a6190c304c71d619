"""What the checker makes of a good model."""

from __future__ import annotations

from ouroboros.languages.dve.constants import binary_value, unary_value
from ouroboros.languages.dve.model import Binary, InState, Number, Read, Receive, Send
from tests.languages.dve.models import EVERYTHING, checked, process


def test_everything_is_resolved() -> None:
    model = checked(EVERYTHING)
    assert list(model.processes) == ["Sender", "Receiver"]
    assert model.property is not None
    assert model.property.name == "Watch"
    assert model.property.accepting == {1}
    assert model.variables["grid"].initial == (1, 2, 3, 0)
    assert model.variables["low"].initial == (-5,)
    sender, receiver = model.processes.values()
    assert [transition.origin for transition in sender.transitions] == [0, 0, 0, 1, 2, 2]
    assert sender.committed == {1}
    assert [assertion.state for assertion in sender.assertions] == [0, 1]
    sending, receiving = sender.transitions[4].synchronisation, receiver.transitions[3].synchronisation
    assert isinstance(sending, Send)
    assert isinstance(receiving, Receive)
    assert sending.channel is receiving.channel is sender.channels["mine"]


def test_locals_hide_globals_and_namespaces_are_apart() -> None:
    text = "byte x; channel y; process y { int x; state x, y; init x; trans x -> y { guard x == 1 and y.x; }; }"
    model = checked(text + "system async;")
    own = model.processes["y"]
    guard = own.transitions[0].guard
    assert isinstance(guard, Binary)
    assert isinstance(guard.left, Binary)
    assert isinstance(guard.left.left, Read)
    assert guard.left.left.variable is own.variables["x"]
    assert isinstance(guard.right, InState)


def test_constants_are_folded() -> None:
    text = "const int N = 2 * 3, T[N] = {5, 4}; byte a[N - 1] = {T[1] % 3, N}; const byte WIDE = 300;"
    model = checked(text + process("const byte M = N; byte own[M + 1]; state a; init a;") + "system async;")
    assert model.variables["a"].size == 5
    assert model.variables["a"].initial == (1, 6, 0, 0, 0)
    assert model.variables["WIDE"].initial == (300,)
    assert model.processes["P"].variables["own"].size == 7


def test_values_that_an_array_has_no_room_for_are_ignored() -> None:
    model = checked("byte slot[2] = {1, 0, 9};" + process("state a; init a;") + "system async;")
    assert model.variables["slot"].initial == (1, 0)


def test_a_guard_of_several_expressions_is_their_conjunction() -> None:
    guards = process("state a; init a; trans a -> a { guard 1, 0; };")
    guard = checked(guards + "system async;").processes["P"].transitions[0].guard
    assert isinstance(guard, Number)
    assert guard.value == 0


def test_constant_arithmetic_is_that_of_32_bits() -> None:
    assert binary_value("+", 2**31 - 1, 1) == -(2**31)
    assert binary_value("*", 2**16, 2**16) == 0
    assert binary_value("/", -7, 2) == -3
    assert binary_value("%", -7, 2) == -1
    assert binary_value("%", 7, 0) is None
    assert binary_value("<<", 1, 33) == 2
    assert binary_value(">>", -8, 1) == -4
    assert binary_value("imply", 0, 0) == 1
    assert binary_value("^", 6, 3) == 5
    assert unary_value("~", 0) == -1
    assert unary_value("-", -(2**31)) == -(2**31)
    assert unary_value("not", 7) == 0
