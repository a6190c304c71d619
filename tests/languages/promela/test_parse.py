"""The tree that a text means."""

from __future__ import annotations

import time
from typing import Any

import pytest

from ouroboros.languages.promela.read import ast, terms
from ouroboros.languages.promela.read.parse import parse_expression
from ouroboros.languages.promela.read.trees import nodes
from tests.languages.promela.models import EVERYTHING, PREPROCESSED_AWAY, body, checked, process, source


def written(expression: Any) -> str:
    """An expression with all parentheses."""
    match expression:
        case terms.Number(value=value):
            return str(value)
        case terms.Symbol(name=name):
            return name
        case terms.Access():
            text = expression.variable.name + (f"[{written(expression.at)}]" if expression.at is not None else "")
            for member in expression.members:
                text += f".{member.field.name}" + (f"[{written(member.at)}]" if member.at is not None else "")
            return text
        case terms.Predefined(name=name):
            return name
        case terms.Unary(operator=operator, operand=operand):
            return f"{operator}{written(operand)}"
        case terms.Binary(operator=operator, left=left, right=right):
            return f"({written(left)}{operator}{written(right)})"
        case terms.Conditional(condition=condition, yes=yes, no=no):
            return f"({written(condition)}->{written(yes)}:{written(no)})"
    raise AssertionError(expression)


NAMES = (
    "mtype = { red, green }; typedef T { byte f[2]; short g } byte a, b, c, d[4]; T t, u[2]; chan q = [2] of { byte };"
)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a + b * c", "(a+(b*c))"),
        ("a - b - c", "((a-b)-c)"),
        ("a || b && c", "(a||(b&&c))"),
        ("a | b ^ c & a", "(a|(b^(c&a)))"),
        ("a & b == c", "(a&(b==c))"),
        ("a == b < c", "(a==(b<c))"),
        ("a < b << c", "(a<(b<<c))"),
        ("a << b + c", "(a<<(b+c))"),
        ("!a == b", "(!a==b)"),
        ("- - a", "--a"),
        ("~a * -b", "(~a*-b)"),
        ("a % b / c", "((a%b)/c)"),
        ("a != b >= c > a <= b", "(a!=(((b>=c)>a)<=b))"),
        ("(a -> b : c)", "(a->b:c)"),
        ("(a > 1 -> (b -> 1 : 2) : c) + 1", "(((a>1)->(b->1:2):c)+1)"),
        ("d[d[a] + 1]", "d[(d[a]+1)]"),
        ("u[a].f[b] + t.g", "(u[a].f[b]+t.g)"),
        ("'A' + '\\n' + true + false + skip", "((((65+10)+1)+0)+1)"),
        ("red == green", "(red==green)"),
        ("4294967295 + 2147483648", "(-1+-2147483648)"),
        ("timeout && np_ || _pid == _nr_pr + _last", "((timeout&&np_)||(_pid==(_nr_pr+_last)))"),
        ("a && b && c && a && b", "(((a&&b)&&c)&&(a&&b))"),
    ],
)
def test_operators(text: str, meaning: str) -> None:
    model = checked(f"{NAMES} init {{ skip }}")
    assert written(parse_expression(source(text), model)) == meaning


def test_thousands_of_operands_make_a_shallow_tree() -> None:
    model = checked("byte a; init { skip }")
    expression = parse_expression(source(" || ".join(["a == 1"] * 5000)), model)
    depth = 0
    while isinstance(expression, terms.Binary):
        depth, expression = depth + 1, expression.left
    assert depth == 14


def test_mtypes_count_from_the_last_name_of_the_first_declaration() -> None:
    model = checked("mtype = { a, b } mtype:f = { x, y } mtype { c d } init { skip }")
    assert model.symbols == {None: ("b", "a", "d", "c"), "f": ("y", "x")}
    (condition,) = body("(c == y)", "mtype = { a, b } mtype:f = { x, y } mtype { c d }")
    assert isinstance(condition, ast.Condition)
    assert isinstance(condition.expression, terms.Binary)
    assert condition.expression.left[1:] == ("c", 4, None)
    assert condition.expression.right[1:] == ("y", 1, "f")


def test_declarations() -> None:
    model = checked(EVERYTHING)
    by_name = {variable.name: variable for variable in model.globals}
    assert list(by_name) == ["hand", "box", "x", "y", "seen", "shown", "small", "nest", "other"]
    assert by_name["x"].visibility == "local"
    assert written(by_name["x"].initial) == "(2+2)"
    assert by_name["y"].size == 3
    assert isinstance(by_name["y"].initial, terms.ArrayValues)
    assert by_name["small"].type == terms.Basic("unsigned", 3)
    box = by_name["box"].initial
    assert isinstance(box, terms.Channel)
    assert (box.capacity, [kind.name for kind in box.types]) == (3, ["Pair"])
    assert [kind.name for kind in box.fields] == ["byte", "short", "short"]
    nest = by_name["nest"].type
    assert isinstance(nest, terms.Structure)
    assert [field.name for field in nest.fields] == ["inner", "flag"]


def test_processes() -> None:
    model = checked(EVERYTHING)
    worker, echo, init = model.processes
    assert [(one.kind, one.name, one.active) for one in model.processes] == [
        ("proctype", "worker", 0),
        ("proctype", "echo", 2),
        ("init", "init", 1),
    ]
    assert [parameter.name for parameter in worker.parameters] == ["number", "kind", "in"]
    assert (worker.priority, echo.deterministic, init.priority) == (2, True, None)
    assert worker.provided is not None
    assert written(worker.provided) == "(x<200)"
    assert [variable.name for variable in worker.variables] == ["number", "kind", "in", "i", "m", "pair", "old"]
    assert [claim.name for claim in model.claims] == ["claim"]
    assert model.events is not None
    assert model.events.kind == "trace"
    assert [(formula.name, "".join(formula.formula.text.split())) for formula in model.formulas] == [
        ("p", "[](x<=(100+100))"),
        ("ltl_0", "<>worker@done->shownU(worker[2]:m==3)"),
    ]


def test_structures_in_messages_are_taken_apart() -> None:
    declarations = "typedef T { byte f[2]; short g } chan q = [2] of { T, byte }; T t[2]; byte i;"
    send, receive = body("q!t[i],7; q?t[0](_)", declarations)
    assert isinstance(send, ast.Send)
    assert [written(value) for value in send.arguments] == ["t[i].f[0]", "t[i].f[1]", "t[i].g", "7"]
    assert isinstance(receive, ast.Receive)
    assert [type(argument).__name__ for argument in receive.arguments] == ["Access", "Access", "Access", "Scratch"]


@pytest.mark.parametrize(
    ("text", "name", "attributes"),
    [
        ("q!1,2", "Send", {"sorted": False}),
        ("q!!1(2)", "Send", {"sorted": True}),
        ("q?x,_", "Receive", {"random": False, "copy": False}),
        ("q??x(1)", "Receive", {"random": True, "copy": False}),
        ("q?<x,eval(x)>", "Receive", {"random": False, "copy": True}),
        ("q??<(x,-1)>", "Receive", {"random": True, "copy": True}),
        ("q?[x,1]", "Condition", {}),
        ("q??[x,1] && x", "Condition", {}),
    ],
)
def test_channel_operations(text: str, name: str, attributes: dict[str, object]) -> None:
    (statement,) = body(text, "chan q = [2] of { byte, byte }; byte x;")
    assert type(statement).__name__ == name
    assert {key: getattr(statement, key) for key in attributes} == attributes
    if name == "Condition":
        assert any(isinstance(node, terms.Poll) and node.random == ("??" in text) for node in nodes(statement))
    else:
        assert len(statement.arguments) == 2


def test_increments_are_assignments() -> None:
    (statement,) = body("x++", "byte x;")
    assert isinstance(statement, ast.Assignment)
    assert (written(statement.place), written(statement.value)) == ("x", "(x+1)")


def test_declarations_before_the_first_statement_are_no_steps() -> None:
    first, second, _, block, last = body("byte a = 1; short b[2] = 3; skip; { byte c } int d[2], e = 4", "")
    assert isinstance(first, ast.Declaration)
    assert isinstance(second, ast.Declaration)
    assert (first.steps, second.steps) == ((), ())
    assert written(first.variables[0].initial) == "1"
    assert isinstance(block, ast.Block)
    assert isinstance(block.body[0], ast.Declaration)
    assert len(block.body[0].steps) == 1
    assert isinstance(last, ast.Declaration)
    steps = [(written(step.place), written(step.value)) for step in last.steps if isinstance(step, ast.Assignment)]
    assert steps == [("d[0]", "0"), ("e", "4")]
    assert last.variables[1].initial is None


def test_a_structure_declared_late_is_an_empty_step() -> None:
    _, late = body("skip; T t", "typedef T { byte a }")
    assert isinstance(late, ast.Declaration)
    assert isinstance(late.steps[0], ast.Condition)


@pytest.mark.parametrize(
    ("text", "single"),
    [
        ("select (i : 1 .. 3)", True),
        ("select (i : 0 .. 32)", True),
        ("select (i : 0 .. 33)", False),
        ("select (i : 0 .. i)", False),
        ("select (i : 0 .. 1+1)", False),
        ("select (i_ : 0 .. 2)", False),
        ("pick(i)", False),
    ],
)
def test_select_is_one_step_where_spin_makes_it_one(text: str, single: bool) -> None:
    statements = body(text, "inline pick(x) { select (x : 1 .. 3) } byte i, i_;")
    (select,) = (node for node in nodes(statements) if isinstance(node, ast.Select))
    assert select.single == single


def test_loops() -> None:
    declarations = "typedef T { byte f } chan q = [2] of { T }; T t; byte a[3], i;"
    over_range, over_array, over_channel = body(
        "for (i : 1 .. i+1) { skip } for (i in a) { break } for (t in q) { skip }", declarations
    )
    assert isinstance(over_range, ast.ForRange)
    assert isinstance(over_array, ast.ForArray)
    assert isinstance(over_channel, ast.ForChannel)
    assert written(over_range.last) == "(i+1)"


def test_the_ends_of_lines_separate_statements() -> None:
    model = checked(PREPROCESSED_AWAY)
    declaration, loop, assignment = model.process("P").body
    assert isinstance(declaration, ast.Declaration)
    assert isinstance(loop, ast.Do)
    assert [len(option.body) for option in loop.options] == [2, 2]
    assert isinstance(assignment, ast.Assignment)


def test_a_line_that_could_go_on_ends_all_the_same() -> None:
    """`x = y` and then `-1`, a condition: as Spin reads it."""
    assignment, condition = body("x = y\n-1", "byte x, y;")
    assert isinstance(assignment, ast.Assignment)
    assert isinstance(condition, ast.Condition)
    (whole,) = body("x = (y\n-1)", "byte x, y;")
    assert isinstance(whole, ast.Assignment)


def test_inlines_are_replaced_by_their_body() -> None:
    text = "inline set(to, what) {\n  to = what + 1\n}\nbyte a[2];\ninit {\n  set(a[1], 2 * 3)\n}"
    (block,) = checked(text).process("init").body
    assert isinstance(block, ast.Block)
    assert (block.inline, block.span.text, block.span.line) == ("set", "set(a[1], 2 * 3)", 6)
    (assignment,) = block.body
    assert isinstance(assignment, ast.Assignment)
    assert (written(assignment.place), written(assignment.value)) == ("a[1]", "((2*3)+1)")
    assert (assignment.span.text, assignment.span.line) == ("to = what + 1", 2)


def test_return_assigns_to_the_caller() -> None:
    (block,) = body("x = more(x, 2)", "inline more(a, b) { if :: a > b -> return a :: else -> return b fi } byte x;")
    results = [node for node in nodes(block) if isinstance(node, ast.Assignment)]
    assert [(written(one.place), written(one.value)) for one in results] == [("x", "x"), ("x", "2")]


def test_each_use_of_an_inline_has_its_own_labels_and_variables() -> None:
    text = "inline f() { byte t; t = 1; L: goto L } init { f(); f(); goto L; L: skip }"
    init = checked(text).process("init")
    gotos = [node.label for node in nodes(init.body) if isinstance(node, ast.Goto)]
    labels = [node.label for node in nodes(init.body) if isinstance(node, ast.Labelled)]
    assert gotos == labels
    assert len(set(labels)) == 3
    assert len(init.variables) == 2


def test_gotos_mean_the_nearest_label() -> None:
    text = "init { skip; { skip; L: skip } { skip; L: skip; { goto L } } goto L }"
    init = checked(text).process("init")
    first, second = (node.label for node in nodes(init.body) if isinstance(node, ast.Labelled))
    inner, outer = (node.label for node in nodes(init.body) if isinstance(node, ast.Goto))
    assert inner == second
    assert outer == second  # of several blocks aside, the last
    assert first != second


def test_a_label_before_a_closing_brace_labels_a_skip() -> None:
    (labelled,) = body("L: M:")
    assert isinstance(labelled, ast.Labelled)
    assert isinstance(labelled.statement, ast.Labelled)
    assert isinstance(labelled.statement.statement, ast.Condition)


def test_the_label_of_a_block_with_an_escape_is_a_label_of_both() -> None:
    labelled, _ = body("L: { skip } unless { x == 1 -> skip }; goto L", "byte x;")
    assert isinstance(labelled, ast.Labelled)
    assert isinstance(labelled.statement, ast.Unless)
    unless, _ = body("L: x = 2 unless { x == 1 -> skip }; goto L", "byte x;")
    assert isinstance(unless, ast.Unless)
    assert isinstance(unless.main, ast.Labelled)


def test_remote_references() -> None:
    text = """proctype P(byte n) { byte a[2]; L: { byte inner; inner = n } }
    init { run P(3) } never { do :: P[1]@L && P@L && P[1]:a[n] + P:inner > 0 od }""".replace("[n]", "[1]")
    (claim,) = checked(text).claims
    labels = [node for node in nodes(claim.body) if isinstance(node, terms.RemoteLabel)]
    variables = [node for node in nodes(claim.body) if isinstance(node, terms.RemoteVariable)]
    assert [label.pid is None for label in labels] == [False, True]
    assert [(one.variable.name, one.pid is None, one.at is None) for one in variables] == [
        ("a", False, False),
        ("inner", True, True),
    ]


def test_events_have_constants_and_holes() -> None:
    events = checked("chan q = [1] of { byte, byte }; byte x; init { skip } notrace { q!1,_; q?x,eval(2) }").events
    assert events is not None
    sent, received = events.body
    assert isinstance(sent, ast.Event)
    assert isinstance(received, ast.Event)
    assert (sent.sends, received.sends) == (True, False)
    assert [type(one).__name__ for one in (*sent.arguments, *received.arguments)] == [
        "Match",
        "Scratch",
        "Scratch",
        "Match",
    ]


def test_printf_has_its_escapes_read() -> None:
    (statement,) = body(r'printf("a\t\"%d\"\\n\n", 1)')
    assert isinstance(statement, ast.Printf)
    assert statement.format == 'a\t"%d"\\n\n'


def test_the_closing_brace_is_known() -> None:
    assert process("active proctype P() {\n  skip\n}").end.line == 3


def test_every_span_is_a_place_in_the_text() -> None:
    for node in nodes(checked(EVERYTHING).process("worker").body):
        if "span" in node._fields:
            assert 0 <= node.span.start < node.span.end <= len(node.span.source.text)


def test_two_thousand_lines_in_well_under_a_second() -> None:
    proctype = "proctype P%d(byte k) {\n" + "  if\n  :: x < 3 -> x = x + y[k] * 2\n  :: else\n  fi\n" * 50 + "}\n"
    text = "#define N 3\nbyte x, y[N];\n" + "".join(proctype % number for number in range(10)) + "init { run P1(1) }"
    before = time.process_time()
    checked(text)
    assert time.process_time() - before < 1.5


def test_a_label_with_the_name_of_a_global_variable() -> None:
    checked(
        "byte done; active proctype P() { done: done++; if :: done < 3 -> goto done :: else fi }"
        " active proctype Q() { P@done && done == 2 }"
    )
