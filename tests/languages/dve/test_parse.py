"""Text to syntax trees."""

from __future__ import annotations

import pytest

from ouroboros.languages.dve import ast
from ouroboros.languages.dve.parse import parse_expression, parse_model
from ouroboros.source import Source
from tests.languages.dve.models import EVERYTHING, source


def shape(expression: ast.Expression) -> str:
    """The tree in prefix form."""
    match expression:
        case ast.Number(_, value):
            return str(value)
        case ast.Name(_, name, at):
            return name + (f"[{shape(at)}]" if at else "")
        case ast.Member(_, process, name):
            return f"{process}.{name}"
        case ast.Foreign(_, process, name, at):
            return f"{process}->{name}" + (f"[{shape(at)}]" if at else "")
        case ast.Unary(_, operator, operand):
            return f"({operator} {shape(operand)})"
        case ast.Binary(_, operator, left, right):
            return f"({operator} {shape(left)} {shape(right)})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * c", "(+ a (* b c))"),
        ("a - b - c", "(- (- a b) c)"),
        ("a - b + c", "(+ (- a b) c)"),
        ("a % b * c / d", "(/ (* (% a b) c) d)"),
        ("a << b + c", "(<< a (+ b c))"),
        ("a < b << c", "(< a (<< b c))"),
        ("a == b < c", "(== a (< b c))"),
        ("a & b == c", "(& a (== b c))"),
        ("a or b and c", "(and (or a b) c)"),
        ("a && b || c", "(or (and a b) c)"),
        ("a and b & c", "(and a (& b c))"),
        ("a imply b or c", "(imply a (or b c))"),
        ("a imply b imply c", "(imply (imply a b) c)"),
        ("not a == b", "(== (not a) b)"),
        ("!a and -b == ~c", "(and (not a) (== (- b) (~ c)))"),
        ("not not a", "(not (not a))"),
        ("a - -1", "(- a (- 1))"),
        ("(a or b) and c", "(and (or a b) c)"),
        ("P.q and P->x[P->y] == true", "(and P.q (== P->x[P->y] 1))"),
        ("a[b[c + 1]] != false", "(!= a[b[(+ c 1)]] 0)"),
        ("a + b + c + d", "(+ (+ a b) (+ c d))"),
        ("a + b + c - d", "(- (+ (+ a b) c) d)"),
    ],
)
def test_precedence(text: str, expected: str) -> None:
    assert shape(parse_expression(source(text))) == expected


def test_a_long_chain_of_disjuncts_is_a_shallow_tree() -> None:
    tree = parse_expression(source(" or ".join(["x == 1"] * 5000)))
    depth = 0
    while isinstance(tree, ast.Binary):
        tree, depth = tree.left, depth + 1
    assert depth < 20


def test_everything_parses() -> None:
    model = parse_model(source(EVERYTHING))
    sender, receiver, watch = model.processes
    assert [variable.identifier.text for variable in model.variables] == ["LIMIT", "shared", "grid", "low"]
    assert [channel.message for channel in model.channels] == [None, None, ("byte", "int"), ("byte", "int")]
    assert len(sender.transitions) == 6
    assert [transition.origin and transition.origin.text for transition in sender.transitions[:4]] == [
        "a",
        None,
        None,
        "b",
    ]
    assert isinstance(sender.transitions[1].synchronisation, ast.Send)
    assert isinstance(receiver.transitions[0].synchronisation, ast.Receive)
    assert watch.accepting[0].text == "y"
    assert model.property is not None


def test_clauses_of_a_transition_come_in_any_order_and_may_be_missing() -> None:
    text = "process P { state a; init a; trans a -> a { effect x = 1; guard x == 0; } a -> a {} } system async;"
    first, second = parse_model(source(text)).processes[0].transitions
    assert first.guard is not None
    assert len(first.effects) == 1
    assert second == ast.Transition(second.span, second.origin, second.target, None, None, ())


def test_spans_point_at_what_was_written() -> None:
    text = "byte x;\nprocess P { state a;\n init a; trans\n a -> a { guard x + 1 == 2; };\n}\nsystem async;"
    transition = parse_model(source(text)).processes[0].transitions[0]
    assert transition.span.text == "a -> a { guard x + 1 == 2; }"
    assert (transition.span.line, transition.span.column) == (4, 2)
    assert transition.guard is not None
    assert transition.guard.span.text == "x + 1 == 2"


def test_comments_continuations_and_odd_names() -> None:
    text = "// first\nbyte a$1, _b#; /* x // */ int trans_count \\\n ; process stateful{state s;init s;}system async;"
    model = parse_model(Source("odd.dve", text))
    assert [variable.identifier.text for variable in model.variables] == ["a$1", "_b#", "trans_count"]
