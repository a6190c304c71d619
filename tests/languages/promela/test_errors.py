"""What the user is told about a text that is no model."""

from __future__ import annotations

import pytest

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.parse import parse_expression, parse_model
from tests.languages.promela.models import checked, source


def refusal(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        checked(text)
    assert caught.value.span is not None, "an error must say where"
    return caught.value


def in_init(statements: str, declarations: str = "byte x; chan q = [1] of { byte };") -> str:
    return f"{declarations}\ninit {{ {statements} }}"


@pytest.mark.parametrize(
    ("text", "offending", "message", "hint"),
    [
        (in_init("x = "), "}", "an expression is expected", None),
        (in_init("x = 1 y = 2"), "y", "`;` or `->` is expected", "separated"),
        (in_init("if x == 1 -> skip fi"), "x", "`::` after if", "if :: condition -> steps fi"),
        (in_init("if :: skip od"), "od", "`::` or `fi`", "not closed by fi"),
        (in_init("do :: skip fi"), "fi", "`::` or `od`", "not closed by od"),
        (in_init("if :: (x = 1) -> skip fi"), "=", "`)`", "written =="),
        (in_init("x = (x -> 1)"), ")", "`:`", "(condition -> yes : no)"),
        (in_init("skip; }"), "}", "a declaration or a process", None),
        (in_init("{ skip "), "", "the text ends where `}`", None),
        (in_init("q!"), "}", "an expression", None),
        (in_init("q?x+1"), "+", "`;` or `->`", None),
        (in_init("q?(x+1)"), "+", "`)`", None),
        (in_init("atomic skip"), "skip", "`{` after atomic", None),
        (in_init("printf(x)"), "x", "a string to print", None),
        (in_init("goto 1"), "1", "a name of a label", None),
        (in_init("$"), "$", "no character $", None),
        (in_init('printf("a)'), '"', "string is not closed", '"'),
        (in_init("x = 'ab'"), "'", "no character", "'a'"),
        ("init { skip /* }", "/", "comment is not closed", "*/"),
        ("proctype P { skip }", "{", "`(` before the parameters", "()"),
        ("proctype P(byte) { skip }", ")", "a name of a variable", None),
        ("proctype P(x) { skip }", "x", "the type of a parameter", None),
        ("byte x\n", "", "no process runs", "init"),
        ("", "", "no process runs", "init"),
        ("\0", "\0", "not a text file", None),
        ("ltl p { [] x", "{", "not closed", "}"),
        ("ltl p { }", "{ }", "empty", None),
        ("inline f() { skip", "{", "body of f is not closed", "}"),
        ("typedef T { }", "T", "at least one field", None),
        ("typedef T { byte }", "}", "a name of a variable", None),
        ("chan q = [1] { byte };", "{", "`of`", "[capacity] of { types }"),
        ("mtype = { };", "mtype", "at least one name", None),
    ],
)
def test_syntax(text: str, offending: str, message: str, hint: str | None) -> None:
    error = refusal(text)
    assert error.span is not None
    assert message in error.message
    assert error.span.text == offending
    assert (hint or "") in (error.hint or "")


@pytest.mark.parametrize(
    ("text", "offending", "message", "hint"),
    [
        (in_init("z = 1"), "z", "z is not declared", None),
        (in_init("count = 1", "byte counter;"), "count", "not declared", "did you mean counter?"),
        (in_init("byte x; skip"), "x", "already declared", "line 1"),
        (in_init("x[1] = 2"), "[", "no array", None),
        (in_init("a = 2", "byte a[2];"), "a", "needs an index", None),
        (in_init("x.f = 2"), "f", "no structure", None),
        (in_init("t.g = 2", "typedef T { byte f } T t;"), "g", "no field g", "it has f"),
        (in_init("t = 2", "typedef T { byte f } T t;"), "t", "not assigned as a whole", "fields"),
        (in_init("x = t", "typedef T { byte f } T t; byte x;"), "t", "has no value itself", "t.f"),
        (in_init("x!1"), "x", "no channel", None),
        (in_init("q!1,2"), "q!1,2", "1 fields, and 2 are given", None),
        (in_init("q?x,x", "chan q = [1] of { byte, byte }; byte x;"), "x", "two fields", None),
        (in_init("q = 1"), "1", "a channel has no number", None),
        (in_init("x = q + 1"), "q", "no number", None),
        (in_init("(!empty(q))"), "empty(q)", "joined by && and ||", "nempty(q)"),
        (in_init("_pid = 1"), "_pid", "cannot be assigned", None),
        (in_init("x = _"), "_", "has no value", None),
        (in_init("break"), "break", "outside of a loop", None),
        (in_init("goto L"), "goto L", "no label L", None),
        (in_init("goto Loop; Lopp: skip"), "goto Loop", "no label Loop", "did you mean Lopp?"),
        (in_init("L: skip; L: skip"), "L", "second label L", "line 2"),
        (in_init("L: byte y; skip"), "L", "before a declaration", None),
        (in_init("byte y; y: skip"), "y", "cannot be a label", None),
        (in_init("if :: else :: else fi"), "else", "second else", "line 2"),
        (in_init("d_step { goto L }; L: skip"), "goto L", "border of a d_step", None),
        (in_init("goto L; d_step { skip; L: skip }"), "goto L", "border of a d_step", None),
        (in_init("do :: d_step { skip; break } od"), "break", "leaves a d_step", None),
        (in_init("d_step { run P() }", "proctype P() { skip }"), "run P()", "d_step", "atomic"),
        (in_init("run Q()", "proctype P() { skip }"), "run Q()", "no proctype Q", None),
        (
            in_init("run P(1)", "proctype P(byte a; T b) { skip }".replace("T", "int")),
            "run P(1)",
            "takes 2",
            "byte a; int b",
        ),
        (in_init("q!run P()", "chan q = [1] of { byte }; proctype P() { skip }"), "run P()", "a message", None),
        (in_init("f(1)", "inline f() { skip }"), "f(1)", "takes 0 arguments, and 1 are given", "f()"),
        (in_init("f()", "inline f() { g() } inline g() { f() }"), "f", "uses itself", None),
        (in_init("f(x)", "byte x; inline f(a) { a = b }"), "b", "b is not declared", None),
        (in_init("return 1"), "return", "nowhere to put", "x = f("),
        (in_init("for (i in x) { skip }", "byte i, x;"), "x", "no array", None),
        (in_init("for (i : 3 .. 1) { skip }", "byte i;"), "3", "after its end", None),
        (in_init("np_"), "np_", "never claims", None),
        (in_init("skip; chan c = [1] of { byte }"), "c", "after a statement", "beginning"),
        ("byte x, x;", "x", "already declared", None),
        ("unsigned x;", "x", "width", "unsigned x : 4"),
        ("byte x : 3;", "3", "only an unsigned", None),
        ("unsigned x : 40;", "40", "1 to 31 bits", None),
        ("hidden bit x;", "x", "cannot be hidden", "byte"),
        ("byte x[0];", "[0]", "1 to", None),
        ("byte y; byte x[y];", "y", "must be a constant", None),
        ("mtype = { a, a };", "a", "twice", None),
        ("mtype = { " + ", ".join(f"m{number}" for number in range(256)) + " };", "m0", "more than 255", None),
        ("mtype = { a }; byte a;", "a", "name of an mtype", None),
        ("mtype:f = { a } mtype:g = { b } init { mtype:f x; x = b }", "b", "of mtype:g", None),
        ("chan q = [1] of { unsigned };", "unsigned", "part of a message", None),
        ("proctype P() { skip } proctype P() { skip }", "P", "already the name of a process", None),
        ("proctype P(byte a) provided (a > 1) { skip } init { skip }", "a", "local", "global"),
        ("active [300] proctype P() { skip }", "[300]", "255", None),
        ("never { byte x; skip } init { skip }", "x", "cannot have variables", None),
        ("chan q = [1] of { byte }; never { q!1 } init { skip }", "q!1", "cannot send", None),
        ("chan q = [1] of { byte }; trace { skip } init { skip }", "skip", "no event", None),
        ("proctype P() { xr q; skip } init { xr q; skip }", "q", "not declared", None),
        ("chan q = [1] of { bit }; proctype P() { xr q; skip } init { xr q; skip }", "q", "P has declared xr q", None),
        ("proctype P() { L: skip } init { (P[1]@M) }", "P[1]@M", "no label M", None),
        ("proctype P() { byte v; skip } init { (P[1]:w == 1) }", "w", "no variable w", None),
        ("init { skip } init { skip }", "init", "second init", None),
        ("ltl p { true } ltl p { true } init { skip }", "p", "second claim named p", None),
    ],
)
def test_meaning(text: str, offending: str, message: str, hint: str | None) -> None:
    error = refusal(text)
    assert error.span is not None
    assert message in error.message
    assert error.span.text == offending
    assert (hint or "") in (error.hint or "")


@pytest.mark.parametrize(
    ("text", "line", "instead"),
    [
        ("byte x;\nc_decl { int y; }\ninit { skip }", 2, "declare the variables in Promela"),
        ('c_state "int y" "Global"\ninit { skip }', 1, "declare the variable in Promela"),
        ('c_track "&y" "sizeof(int)"\ninit { skip }', 1, "declare the variables"),
        ("init {\n  c_code { now.x = 1; }\n}", 2, "an assignment, or d_step"),
        ("init {\n  if\n  :: c_expr { now.x == 1 } -> skip\n  fi\n}", 3, "the condition in Promela"),
    ],
)
def test_embedded_c_is_refused_with_what_to_write_instead(text: str, line: int, instead: str) -> None:
    error = refusal(text)
    assert error.span is not None
    assert error.span.line == line
    assert instead in str(error.hint)


def test_an_error_in_an_inline_says_where_it_is_used() -> None:
    error = refusal("inline f(a) {\n  a = true +\n}\nbyte x;\ninit {\n  skip;\n  f(x)\n}")
    assert error.span is not None
    assert error.span.line == 3
    assert error.hint == "this is in the use of f in line 7"


def test_an_argument_of_an_inline_is_shown_where_it_is_written() -> None:
    error = refusal("inline f(a) {\n  a = 1\n}\ninit {\n  f(nothing)\n}")
    assert error.span is not None
    assert (error.span.text, error.span.line) == ("nothing", 5)


def test_the_message_shows_the_line() -> None:
    error = refusal("byte x;\ninit {\n\tx = y\n}")
    assert str(error).splitlines()[:3] == ["model.pml:3:6: y is not declared", "     x = y", "         ^"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x +", "an expression"),
        ("x 1", "the end of the expression"),
        ("P[0]@M", "no label M"),
        ("P@", "a name of a label"),
        ("P", "P is a process"),
        ("n == 1", "n is not declared"),
        ("run P()", "outside of a process"),
        ("c_expr { x }", "is C"),
    ],
)
def test_expressions_in_formulas(text: str, message: str) -> None:
    model = parse_model(source("byte x; active proctype P() { byte n; L: n = 1 }"))
    with pytest.raises(InputError) as caught:
        parse_expression(source(text), model)
    assert message in caught.value.message
    assert caught.value.span is not None
