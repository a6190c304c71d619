"""The syntax of formulas, and the promise that a text is either a formula or an `InputError`."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.errors import InputError
from ouroboros.ltl import parse_formula, parse_span, translate
from ouroboros.ltl.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Equivalent,
    Finally,
    Formula,
    Globally,
    Implies,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    Xor,
    atoms_of,
)
from ouroboros.ltl.tokens import SPIN
from ouroboros.source import Source, Span
from tests.ltl.words import random_formula

P, Q, R = Atom("p"), Atom("q"), Atom("r")


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("[] x & 1", Globally(Atom("x & 1"))),
        ("[] (x & 1) -> y | 2", Implies(Globally(Atom("x & 1")), Atom("y | 2"))),
        ("!p == q", Atom("!p == q")),
        ("!(p == q) && !p", And(Not(Atom("p == q")), Not(P))),
        ("![] p", Not(Globally(P))),
        ("! p U q", Until(Not(P), Q)),
        ("!(p && q) U r", Until(Not(And(P, Q)), R)),
        ("R -> F", Implies(Atom("R"), Atom("F"))),
        ("G U (M)", Until(Atom("G"), Atom("M"))),
        ("always (p implies eventually q)", Globally(Implies(P, Finally(Q)))),
        ("<> q?[1,2] && q??[x] || !c@L", Or(And(Finally(Atom("q?[1,2]")), Atom("q??[x]")), Not(Atom("c@L")))),
        ("P[1]:v ^ 3 == ~x V q", Release(Atom("P[1]:v ^ 3 == ~x"), Q)),
    ],
)
def test_formulas_as_spin_reads_them(text: str, formula: Formula) -> None:
    assert parse_span(Span(Source("formula", text), 0, len(text)), SPIN).formula == formula


@pytest.mark.parametrize("text", ["p and q", "p /\\ q", "p &&& q", "!", "! []", "p U", "q ? 1"])
def test_what_is_no_formula_to_spin(text: str) -> None:
    with pytest.raises(InputError):
        parse_span(Span(Source("formula", text), 0, len(text)), SPIN)


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        # As `spin -a` prints an inline formula with all its parentheses.
        ("p U q U r", Until(Until(P, Q), R)),
        ("p V q V r", Release(Release(P, Q), R)),
        ("p U q V r", Release(Until(P, Q), R)),
        ("p W q U r", Until(WeakUntil(P, Q), R)),
        ("p U !q U r", Until(Until(P, Not(Q)), R)),
        ("[] p U q", Until(Globally(P), Q)),
        ("X p U q", Until(Next(P), Q)),
        ("! p U q", Until(Not(P), Q)),
        ("p U q && r", And(Until(P, Q), R)),
        ("p || q && r", Or(P, And(Q, R))),
        ("[] p && q", And(Globally(P), Q)),
        ("p -> q && r", Implies(P, And(Q, R))),
        ("p -> q -> r", Implies(Implies(P, Q), R)),
        ("p <-> q -> r", Implies(Equivalent(P, Q), R)),
        ("p -> q <-> r", Equivalent(Implies(P, Q), R)),
        ("p ^ q && r", Xor(P, And(Q, R))),
        ("p || q ^ r", Or(P, Xor(Q, R))),
        ("p && q && r", And(P, Q, R)),
        ("(p && q) && r", And(And(P, Q), R)),
        ("p && (q || r)", And(P, Or(Q, R))),
        ("[]<>p -> <>[]q", Implies(Globally(Finally(P)), Finally(Globally(Q)))),
    ],
)
def test_precedence(text: str, formula: Formula) -> None:
    assert parse_formula(text) is formula


@pytest.mark.parametrize(
    ("formula", "spellings"),
    [
        (Globally(P), ["[] p", "[]p", "G p", "G(p)", "always p"]),
        (Finally(P), ["<> p", "F p", "eventually p"]),
        (Next(P), ["X p", "X(p)", "next p"]),
        (Not(P), ["!p", "~p", "not p", "! p"]),
        (And(P, Q), ["p && q", "p & q", "p /\\ q", "p and q", "p&&q"]),
        (Or(P, Q), ["p || q", "p | q", "p \\/ q", "p or q"]),
        (Implies(P, Q), ["p -> q", "p->q", "p implies q", "p imply q"]),
        (Equivalent(P, Q), ["p <-> q", "p<->q", "p equivalent q"]),
        (Xor(P, Q), ["p ^ q"]),
        (Until(P, Q), ["p U q", "p until q", "p stronguntil q"]),
        (WeakUntil(P, Q), ["p W q", "p weakuntil q"]),
        (Release(P, Q), ["p R q", "p V q", "p release q"]),
        (StrongRelease(P, Q), ["p M q"]),
        (TRUE, ["true", "1", "(true)"]),
        (FALSE, ["false", "0"]),
    ],
)
def test_spellings(formula: Formula, spellings: list[str]) -> None:
    for spelling in spellings:
        assert parse_formula(spelling) is formula, spelling


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        ("P_0.CS", ["P_0.CS"]),
        ("x > 3", ["x > 3"]),
        ("len(q) < 5", ["len(q) < 5"]),
        ("proc[1]@label", ["proc[1]@label"]),
        ("proc[1]:x == 2", ["proc[1]:x == 2"]),
        ("Slot[2] == 1", ["Slot[2] == 1"]),
        ("a + b <= c", ["a + b <= c"]),
        ("(x + 1) > 3 && [] q", ["(x + 1) > 3", "q"]),
        ("!(x>3) && y==2", ["x>3", "y==2"]),
        ("((x)+1 > 3) U ((y))", ["(x)+1 > 3", "y"]),
        ("a[i && j] || f(x -> y)", ["a[i && j]", "f(x -> y)"]),
        ('{ x -> y } U "P->z == 2"', ["x -> y", "P->z == 2"]),
        ("P->x == 2", ["P", "x == 2"]),
        ("x < -1 && y<-2", ["x < -1", "y<-2"]),
        ("a != b -> c", ["a != b", "c"]),
        ("X.y U G[0] == 1", ["X.y", "G[0] == 1"]),
        ("X[]p", ["p"]),
        ("true == x", ["true == x"]),
        ("{U} W {X}", ["U", "X"]),
        ("x<y", ["x<y"]),
        ("x / 2 == y /\\ z", ["x / 2 == y", "z"]),
        ("a >= b || c << 2 == 8 % 3", ["a >= b", "c << 2 == 8 % 3"]),
    ],
)
def test_atoms_are_slices_of_the_text(text: str, atoms: list[str]) -> None:
    parsed = parse_span(Span(Source("formula", text), 0, len(text)))
    assert [occurrence.text for occurrence in parsed.atoms] == atoms
    assert [occurrence.span.text for occurrence in parsed.atoms] == atoms
    assert list(atoms_of(parsed.formula)) == atoms


def test_a_formula_inside_a_model_keeps_its_places() -> None:
    model = Source("model.pml", "bool p;\nltl live { []<> { p + 1 > q } }\n")
    start, end = model.text.index("{") + 1, model.text.rindex("}")
    parsed = parse_span(Span(model, start, end))
    assert str(parsed.formula) == '[]<>"p + 1 > q"'
    assert str(parsed.span_of("p + 1 > q")) == "model.pml:2:19"


@pytest.mark.parametrize(
    ("text", "start", "end", "message"),
    [
        ("", 0, 0, "ends where an operand is expected"),
        ("p U", 3, 3, "ends where an operand is expected"),
        ("p q", 2, 3, "an operator is expected"),
        ("p <> q", 2, 4, "an operator is expected"),
        ("(p && q", 0, 1, "( is not closed"),
        ("p && q)", 6, 7, "never opened"),
        ("p && (q]", 7, 8, "] does not match ("),
        ("p && && q", 5, 7, "&& needs a formula before it"),
        ("V == 3", 0, 1, "V needs a formula before it"),
        ("x == U", 5, 6, "U is an operator"),
        ("x +", 3, 3, "expected here"),
        ("p && # q", 5, 6, "expected here"),
        ("p # q", 2, 3, "an operator is expected"),
        ('p U "q', 4, 6, "quotation is not closed"),
        ("p U { q", 4, 5, "{ is not closed"),
        ("p U { }", 4, 7, "an expression is expected"),
        ("()", 1, 2, "a formula is expected here, not )"),
        ("!" * 200 + "p", 101, 102, "nested more than 100 deep"),
    ],
)
def test_errors_point_at_the_fault(text: str, start: int, end: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_formula(text)
    assert message in caught.value.message
    assert caught.value.span is not None
    assert (caught.value.span.start, caught.value.span.end) == (start, end)
    assert caught.value.span.source.name == "formula"


def test_a_printed_formula_reads_back_as_itself() -> None:
    generator = random.Random(1)
    for _ in range(2000):
        formula = random_formula(generator, generator.randrange(1, 25))
        assert parse_formula(str(formula)) is formula


FRAGMENTS = st.sampled_from(
    [
        *'pqx3UWVRMXGF!~&|^()[]{}".@:,<>+-*/%=#\\\n\0é²٣\ud800',
        *("[]", "<>", "&&", "||", "->", "<->", "/\\", "\\/", "==", "!=", "<="),
        *("always", "until", "not", "and", "true", "len(q)", "a[1]"),
    ]
)
TEXTS = st.text(max_size=30) | st.lists(FRAGMENTS, max_size=20).map(" ".join) | st.lists(FRAGMENTS).map("".join)


@settings(max_examples=1500, deadline=None)
@given(TEXTS)
def test_any_text_is_a_formula_or_an_input_error(text: str) -> None:
    try:
        printed = str(parse_formula(text))
    except InputError as caught:
        error = caught
    else:
        assert str(parse_formula(printed)) == printed
        return
    assert error.span is not None
    assert 0 <= error.span.start <= error.span.end <= len(text)
    assert error.message in str(error)


@pytest.mark.parametrize("opening", ["(", "[", "{", "!", "[]", "p U (", "p -> ", "f(", "a[", '"', "p && ("])
def test_deep_nesting_is_an_input_error(opening: str) -> None:
    with pytest.raises(InputError):
        parse_formula(opening * 5000 + "p")


def test_the_deepest_formula_can_be_translated() -> None:
    assert translate(parse_formula("X " * 50 + "p")).states == 52
    assert translate(parse_formula("[]<>" * 49 + "p")).states == 2
    assert translate(parse_formula("p" + " <-> p" * 98)).states <= 2
