"""What the user is told about a text that is no model."""

from __future__ import annotations

import re

import pytest

from ouroboros.errors import InputError
from ouroboros.languages.dve.parse import parse_model
from tests.languages.dve.models import checked, loaded, process, source

A = "state a; init a; "


def refusal(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        checked(text)
    assert caught.value.span is not None, "an error must say where"
    return caught.value


@pytest.mark.parametrize(
    ("text", "offending", "message", "hint"),
    [
        ("byte x\nprocess P { } system async;", "process", "unexpected `process`", "expected `,`, `;`, `=` or `[`"),
        (process(A + "trans a -> a { guard 1 + ; };"), ";", "unexpected `;`", "expected an expression"),
        (process(A + "trans a -> a { guard x = 1; };"), "=", "unexpected `=`", "to compare, write `==`"),
        (process(A + "trans a -> a { effect x == 1; };"), "==", "unexpected `==`", "to assign, write `=`"),
        (process(A + "trans a -> a { sync c; };"), ";", "unexpected `;`", "expected `!`, `->` or `?`"),
        ("int and;", "and", "`and` is a keyword", "expected a name"),
        ("byte x; $", "$", "unexpected character '$'", None),
        ("byte x; /* no end", "/*", "never closed", "expected `*/`"),
        (process(A), "", "no `system` line", "system async;"),
        ("byte x; // nothing else", "", "no `system` line", "system async;"),
        (process(A) + "system async", "", "ends too early", "expected `;` or `property`"),
        (process("state a; accept rabin (a;); init a;"), "(", "`accept rabin` is not supported", "Büchi"),
        (process(A + "trans a => {a: 1};"), "=", "probabilistic", None),
        (process(A + "trans a -> a { guard 1; guard 2; };"), "guard", "second `guard`", "commas"),
        ("byte x = 2147483648;", "2147483648", "too large", "2147483647"),
        ("byte x = " + "9" * 5000 + ";", "9" * 5000, "too large", "2147483647"),
        ("", "", "empty", None),
        ("  \n ", "", "empty", None),
        ("byte x;\0", "\0", "not a text file", None),
        ("byte x;\udce9", "\udce9", "not a text file", None),
    ],
)
def test_syntax(text: str, offending: str, message: str, hint: str | None) -> None:
    error = refusal(text)
    assert error.span is not None
    assert error.span.text == offending
    assert message in error.message
    assert (hint or "") in (error.hint or "")


def with_system(*parts: str) -> str:
    return "".join(parts) + "system async;"


def moving(clauses: str, declarations: str = "byte x, y[2]; const byte K = 1; channel c; ") -> str:
    """A model whose only transition has these clauses."""
    return declarations + with_system(process(A + f"trans a -> a {{ {clauses} }};"))


@pytest.mark.parametrize(
    ("text", "offending", "message", "hint"),
    [
        (moving("guard slot;", "byte Slot;"), "slot", "unknown variable `slot`", "did you mean `Slot`?"),
        (moving("guard zzz;"), "zzz", "unknown variable `zzz`", ""),
        (moving("guard c;"), "c", "unknown variable `c`", "is a channel"),
        (moving("guard P;"), "P", "unknown variable `P`", "is a process"),
        (moving("guard Q.a;"), "Q.a", "unknown process `Q`", ""),
        (moving("guard P.b;"), "P.b", "unknown state of process `P` `b`", ""),
        (moving("guard P->x;"), "P->x", "unknown variable of process `P` `x`", ""),
        (moving("effect K = 2;"), "K", "`K` is a constant", ""),
        (moving("sync c?K;"), "K", "`K` is a constant", ""),
        (moving("guard x[0];"), "x[0]", "no array", ""),
        (moving("guard y[2];"), "2", "index 2 is out of range", "2 elements"),
        (moving("guard y[K - 2];"), "K - 2", "index -1 is out of range", ""),
        (moving("guard 1 / 0;"), "1 / 0", "division by zero", ""),
        (moving("sync d!;"), "d", "unknown channel `d`", ""),
        (moving("guard " + "not " * 500 + "x;"), None, "nested too deeply", ""),
        (moving("guard x" + "- 1" * 500 + ";"), None, "nested too deeply", ""),
        (with_system(process("state a;")), "P", "no initial state", "init a;"),
        (with_system(process("init a;")), "P", "no states", "state a, b;"),
        (with_system(process("state a, b; init a, b;")), "b", "second initial state", ""),
        (with_system(process("state a, a; init a;")), "a", "second state named `a`", "line 1"),
        (with_system(process("state a; init b;")), "b", "unknown state `b`", ""),
        (with_system(process("state start; init star;")), "star", "unknown state", "did you mean `start`?"),
        (with_system(process(A + "commit b;")), "b", "unknown state `b`", ""),
        (with_system(process(A + "accept b;")), "b", "unknown state `b`", ""),
        (with_system(process(A + "assert b: 1;")), "b", "unknown state `b`", ""),
        (with_system(process(A + "trans a -> b {};")), "b", "unknown state `b`", ""),
        (with_system(process(A + "trans -> a {};")), "-> a {}", "must name the state", ""),
        (with_system("byte x; int x;", process(A)), "x", "second variable named `x`", "line 1"),
        (with_system("channel c, c;", process(A)), "c", "second channel named `c`", "line 1"),
        (with_system(process(A), process(A)), "P", "second process named `P`", "line 1"),
        (with_system("byte x[0];", process(A)), "0", "cannot have 0 elements", ""),
        (with_system("byte n; byte x[n];", process(A)), "n", "must be a constant", ""),
        (with_system("byte x[2] = 1;", process(A)), "1", "needs a list", "{…}"),
        (with_system("byte x = {1};", process(A)), "x", "takes a single value", ""),
        (with_system("byte n; byte x = n;", process(A)), "n", "must be a constant", ""),
        (with_system("const byte n;", process(A)), "n", "has no value", ""),
        (with_system("channel {byte} c[-1];", process(A)), "-1", "cannot hold -1 messages", ""),
        ("byte x; system async;", "async", "no process", ""),
        (
            "channel c; " + process("state a, b; init a; trans a -> b { sync c!; };") + "system sync;",
            "c",
            "channels have no meaning",
            "system async;",
        ),
        (process(A) + "system async property Q;", "Q", "unknown process `Q`", "did you mean"),
    ],
)
def test_names_and_types(text: str, offending: str | None, message: str, hint: str) -> None:
    error = refusal(text)
    assert error.span is not None
    assert offending is None or error.span.text == offending
    assert message in error.message
    if "did you mean" not in hint or "`" in hint:
        assert hint in (error.hint or "")


@pytest.mark.parametrize(
    ("declaration", "first", "second", "size"),
    [
        ("channel {byte, int} c[0];", "sync c!{1, 2};", "sync c?x;", "2 values, not 1"),
        ("channel {byte} c[3];", "sync c!1;", "sync c?;", "1 value, not 0"),
        ("channel c;", "sync c!1;", "sync c?{x, x};", "1 value, not 2"),
        ("channel c[2];", "sync c!;", "sync c?x;", "0 values, not 1"),
    ],
)
def test_sizes_of_messages(declaration: str, first: str, second: str, size: str) -> None:
    processes = process(A + f"trans a -> a {{ {first} }};"), process(A + f"trans a -> a {{ {second} }};", "Q")
    error = refusal(with_system("byte x;", declaration, *processes))
    assert size in error.message
    assert "line 1" in (error.hint or "")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("trans a -> a { sync c?; };", "cannot synchronise"),
        ("trans a -> a { effect x = 1; };", "cannot have effects"),
        ("byte n; ", "cannot have variables"),
    ],
)
def test_a_property_process_only_observes(body: str, message: str) -> None:
    watcher = process(body + A if body.startswith("byte") else A + body, "Watch")
    error = refusal("byte x; channel c;" + process(A) + watcher + "system async property Watch;")
    assert message in error.message


def test_the_system_cannot_observe_its_property() -> None:
    text = process(A + "trans a -> a { guard Watch.a; };") + process(A, "Watch") + "system async property Watch;"
    assert "property process" in refusal(text).message


def test_a_local_variable_of_another_process_is_hinted_at() -> None:
    text = with_system(process("byte mine;" + A), process(A + "trans a -> a { guard mine; };", "Q"))
    assert refusal(text).hint == "`P` has a variable of that name: write `P->mine`"


def test_a_dot_to_a_variable_is_hinted_at_in_a_model() -> None:
    text = with_system(process("byte mine;" + A), process(A + "trans a -> a { guard P.mine; };", "Q"))
    assert refusal(text).hint == "`mine` is a variable: write `P->mine`"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "ends too early"),
        ("x ==", "ends too early"),
        ("x == 1;", "unexpected `;`"),
        ("y == 1", "unknown variable `y`"),
        ("P.b", "unknown state"),
        ("P->z", "unknown variable"),
        ("Q.a", "unknown process"),
    ],
)
def test_expressions_that_stand_alone(text: str, message: str) -> None:
    model = loaded("byte x;" + with_system(process("byte n;" + A)))
    with pytest.raises(InputError, match=re.escape(message)):
        model.proposition(source(text))


def test_the_words_of_the_grammar_never_show() -> None:
    for text in ("byte", "process P {", "process P { state a; init a; trans a -> a { guard", "channel {byte"):
        with pytest.raises(InputError) as caught:
            parse_model(source(text))
        assert not re.search(r"[A-Z]{3,}", str(caught.value))
