"""What is wrong with a model is told with its place, and what to do."""

from __future__ import annotations

import pytest

from ouroboros.errors import InputError, UsageError
from ouroboros.languages.murphi import load
from tests.languages.murphi.models import loaded, source

PREFIX = "var x: 0..3; b: boolean; a: array [0..1] of 0..3; r: record f: 0..3; end;\n"
START = "\nstartstate begin x := 0; b := false; end;"


def refusal(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        loaded(text)
    error = caught.value
    assert error.span is not None
    return error


@pytest.mark.parametrize(
    ("rule", "column", "message"),
    [
        ("rule begin y := 1; end;", 12, "`y` is not declared"),
        ("rule begin x := b; end;", 12, "a value of type boolean cannot be assigned"),
        ("rule begin x := 1 + b; end;", 21, "`+` takes numbers"),
        ("rule b + 1 ==> begin end;", 6, "`+` takes numbers"),
        ("rule x ==> begin end;", 6, "a guard must be a boolean"),
        ("rule x = b ==> begin end;", 6, "cannot be compared"),
        ("rule x < 1 < 2 ==> begin end;", 12, "unexpected `<`"),
        ("rule x & b ==> begin end;", 10, "`&` takes numbers, not a value of type boolean"),
        ("rule b & x ==> begin end;", 10, "what `&` joins must be a boolean"),
        ("rule begin a := 1; end;", 12, "a value of type 1 .. 1 cannot be assigned"),
        ("rule begin a[b] := 1; end;", 14, "the index is of type boolean"),
        ("rule begin x[0] := 1; end;", 12, "this is no array"),
        ("rule begin x.f := 1; end;", 12, "this is no record"),
        ("rule begin r.g := 1; end;", 12, "this record has no field `g`"),
        ("rule begin x = 1; end;", 14, "unexpected `=`"),
        ("rule begin x := ; end;", 17, "unexpected `;`"),
        ("rule begin if b x := 1; end; end;", 17, "unexpected `x`"),
        ("rule begin x := 1;", 19, "the text ends too early"),
        ("rule begin foo(1); end;", 12, "`foo` is not declared"),
        ("rule begin x(1); end;", 12, "`x` is no function"),
        ("rule begin return 1; end;", 12, "nothing can be returned from here"),
        ("rule begin x := isundefined(1) ? 1 : 2; end;", 29, "what `isundefined` asks for"),
        ("rule begin b := isundefined(a); end;", 29, "`isundefined` asks for a value of a simple type"),
        ("rule begin clear 3; end;", 18, "what is assigned to must be a variable"),
        ("rule begin for i := 0 to 3 by 0 do end; end;", 16, "a step of zero"),
        ("rule begin for i: 0..3 do i := 1; end; end;", 27, "must be a variable"),
        ("rule begin multisetadd(1, x); end;", 27, "this is no multiset"),
        ("rule begin x := undefined + 1; end;", 17, "`undefined` has no value"),
        ("rule begin liveness b; end;", 12, "unexpected `liveness`"),
        ("ruleset i: 0..x do rule begin end; end;", 15, "a bound of a range must be constant"),
        ("invariant x", 11, "a property must be a boolean"),
        ("type t: 3..1;", 9, "the upper bound of this range is less"),
        ("type t: real(4, 2);", 9, "unexpected `real`"),
        ("const c: x;", 10, "must be constant"),
        ("var x: 0..1;", 5, "`x` is declared already"),
        ("type t: enum {p, p};", 18, "`p` is declared already"),
        ("type t: record f, f: boolean; end;", 19, "a field `f` already"),
        ("type t: union {boolean, 0..1};", 25, "the members of a union"),
        ("type t: scalarset(0);", 19, "must be between 1 and"),
        ("type t: array [r] of boolean;", 16, "`r` is not a type"),
        ("var z: array [0..99999999] of boolean;", 8, "too large"),
        ("externfun f(): boolean;", 1, "unexpected `externfun`"),
        ("liveness \"l\" eventually b;", 14, "unexpected `eventually`"),
        ("rule 'x' begin end;", 6, "unexpected character"),
        ("rule \"x begin end;", 6, "this string is never closed"),
        ("/* rule", 1, "this comment is never closed"),
        ("const c: 1.5;", 10, "real numbers are not supported"),
        ("const c: 08;", 10, "octal"),
        ("const c: 99999999999999999999999999;", 10, "too large"),
    ],
)  # fmt: skip
def test_place_and_message(rule: str, column: int, message: str) -> None:
    error = refusal(PREFIX + rule + ("" if "early" in message else START))
    assert message in str(error)
    assert (error.span.line, error.span.column) == (2, column)


FUNCTIONS = "procedure set(var y: 0..3; z: boolean); begin y := 1; end; function get(): boolean; begin return b; end;\n"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("rule begin set(1, b); end;", "`y` is a `var` parameter"),
        ("rule begin set(x); end;", "`set` takes 2 arguments, not 1"),
        ("rule begin set(x, 1); end;", "`z` is of type boolean"),
        ("rule begin x := get(); end;", "a value of type boolean cannot be assigned"),
        ("rule begin b := set(x, b); end;", "`set` is a procedure, and has no value"),
        ("rule late = 1 ==> begin end; var late: 0..1;", "`late` is used before it is declared"),
        ("function w(): boolean; begin x := 1; return true; end; rule w() ==> begin end;", "cannot change the state"),
        ("function w(n: 0..1): boolean; begin n := 1; return true; end;", "`n` is read-only here"),
    ],
)
def test_functions(rule: str, message: str) -> None:
    assert message in str(refusal(PREFIX + FUNCTIONS + rule + START))


def test_a_function_without_a_return_is_no_error_before_it_is_called() -> None:
    loaded(PREFIX + "function f(): boolean; begin x := 1; end;" + START)


def test_no_startstate() -> None:
    assert "no startstate" in str(refusal("var x: 0..1; rule begin x := 0; end;"))


def test_assumptions_that_no_startstate_satisfies() -> None:
    assert "no startstate satisfies" in str(refusal("var x: 0..1; startstate begin x := 0; end; assume x = 1"))


def test_definitions() -> None:
    text = "const n: 2; on: false; var x: 0..n; startstate begin x := n; end; rule on ==> begin x := 0; end;"
    assert loaded(text, n="5").system.layout.fields[0].bits == 3
    assert len(loaded(text, on="true").system.actions) == 1
    for definitions, message in (
        ({"m": "1"}, "no such constant; it has: n, on"),
        ({"n": "many"}, "is a number"),
        ({"on": "maybe"}, "choose from false, true"),
    ):
        with pytest.raises(UsageError, match=message):
            load(source(text), definitions=definitions)


def test_overflow_is_no_choice() -> None:
    with pytest.raises(UsageError, match="--overflow wrap"):
        load(source("var x: 0..1; startstate begin x := 0; end;"), "wrap")


def test_pragmas() -> None:
    text = """
        var x: 0..1; startstate begin x := 0; end;
        --@ weak
        ruleset i: 0..1 do
          rule "a" begin x := i; end;
          --@ strong
          rule "b" begin x := i; end;
        end;
        rule "c" begin x := 0; end;
    """
    found = {(action.name, action.fairness) for action in loaded(text).system.actions}
    assert found == {("a", "weak"), ("b", "strong"), ("c", "none")}
    assert "expected `--@ weak`" in str(refusal("var x: 0..1; startstate begin x := 0; end; --@ fair\nrule begin end;"))


@pytest.mark.parametrize("text", ["(x = 1) -> b", "(x + 1) * 2 = 2 | b", "(b) ? b : !b"])
def test_an_invariant_is_called_by_all_of_its_text(text: str) -> None:
    model = loaded(f"var x: 0..1; b: boolean; startstate begin clear x; clear b; end; invariant {text};")
    assert [item.name for item in model.system.assertions] == [text]


def test_propositions() -> None:
    model = loaded("type p: scalarset(2); var a: array [p] of boolean; startstate begin clear a; end;")
    assert model.proposition(source("a[p_1] = a[p_2]")).distinguishes
    assert not model.proposition(source("forall i: p do a[i] end")).distinguishes
    for text, message in (
        ("a[p_3]", "`p_3` is not declared"),
        ("a", "expected a simple value"),
        ("", "ends too early"),
    ):
        with pytest.raises(InputError, match=message):
            model.proposition(source(text))
