"""What is wrong with a model is told with its place, at once, and nothing is guessed."""

from __future__ import annotations

import pytest

from ouroboros.checking import check
from ouroboros.errors import InputError
from ouroboros.languages.uppaal import load
from ouroboros.source import Source

PROCESS = "process P() { state s; init s; } system P;"
TEMPLATE = '<template><name>P</name><location id="a"/>{}</template><system>system P;</system>'
INIT = '<init ref="a"/>'


def _edge(labels: str) -> str:
    return f"process P() {{ state s, t; init s; trans s -> t {{ {labels} }}; }} system P;"


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (f"int x = 99999999999; {PROCESS}", 9, "more than 32 bits"),
        (_edge("guard 1 < 4294967296;"), 60, "more than 32 bits"),
        (f"int a[1000000000]; {PROCESS}", 7, "1,000,000,000 elements is too large"),
        (f"bool a[100000][100000]; {PROCESS}", 8, "10,000,000,000 elements is too large"),
        (f"typedef int[1,1000000000] T; int a[T]; {PROCESS}", 36, "1,000,000,000 elements is too large"),
        (f"clock a[1000000]; {PROCESS}", 7, "more than 200 clocks"),
        (f"int a[0]; {PROCESS}", 7, "at least one element"),
        (f"int a[-5]; {PROCESS}", 7, "at least one element"),
        (_edge("select i : int[0,1000000000];"), 41, "1000000001 combinations"),
        (_edge("select i : int[0,1], i : int[0,1];"), 71, "i is selected twice"),
        (_edge("guard forall (i : int[0,999]) forall (j : int[0,999]) i >= j;"), 80, "more than 20,000 expressions"),
        (f"void f() {{ int a[1000000000]; }} {_edge('assign f();')}", 18, "elements is too large"),
        (
            "int f0() { return 1; } "
            + " ".join(f"int f{n}() {{ return f{n - 1}() + f{n - 1}(); }}" for n in range(1, 40))
            + _edge("guard f39() > 0;"),
            None,
            "more than 20,000 expressions",
        ),
        (_edge(f"guard {'(' * 5000}1{')' * 5000};"), 1, "nested too deeply"),
        (_edge(f"guard {'!' * 20000}1;"), 1, "nested too deeply"),
        (f"void f() {{ {'{' * 5000} {'}' * 5000} }} {PROCESS}", 1, "nested too deeply"),
        ("process P() { state s, t; init s; init t; } system P;", 35, "begins in s"),
        ("process P() { state s, t; } system P;", 9, "no initial state"),
        ("process P() { state s; init s; trans s -> s { }; trans s -> s { }; } system P;", 50, "put both lists"),
        (_edge("guard 0; guard 1;"), 59, "two labels `guard`"),
        ("process P() { state s, t; branchpoint t; init s; } system P;", 39, "another state t"),
        ("P = P(); system P;", 1, "an instance of itself"),
        ("A = B(); B = A(); system A;", 1, "an instance of itself"),
        (f"meta int m = 5; {PROCESS}", 10, "zero when a step begins"),
        (f"int[5,2] v; {PROCESS}", 1, "is empty"),
        (
            "broadcast chan c; process R(int[0,19] i) { clock x; state s; init s;"
            " trans s -> s { guard x > 1; sync c?; }; }"
            " process P() { state s; init s; trans s -> s { sync c!; }; } system P, R;",
            None,
            "combinations of transitions and of what clocks decide",
        ),
        (
            "broadcast chan c; process R(int[0,19] i) { state s; init s;"
            " trans s -> s { sync c?; }, s -> s { sync c?; }; }"
            " process P() { state s; init s; trans s -> s { sync c!; }; } system P, R;",
            None,
            "1,048,576 combinations",
        ),
        ("typedef scalar[1000000000] S; process P(S i) { state s; init s; } system P;", 74, "1000000000 processes"),
    ],
)
def test_text(text: str, column: int | None, message: str) -> None:
    with pytest.raises(InputError) as raised:
        load(Source("model.xta", text))
    assert message in raised.value.message
    assert raised.value.span
    assert column in (None, raised.value.span.column)
    assert len(str(raised.value)) < 1500


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<declaration>", "not well-formed XML"),
        ("</nta>", "not well-formed XML"),
        ("<foo/>", "<foo> is no element of <nta>"),
        ("<declaration><declaration>int v;</declaration></declaration>" + TEMPLATE.format(INIT), "which is a text"),
        (TEMPLATE.format(INIT + INIT), "two elements <init>"),
        (TEMPLATE.format('<location id="a"><name>b</name></location>' + INIT), "two locations with the id a"),
        (TEMPLATE.format('<init ref="zz"/>'), "has no location zz"),
        (TEMPLATE.format(""), "no initial location"),
        (TEMPLATE.format(INIT) + "<system>system P;</system>", "two elements <system>"),
        (
            TEMPLATE.format(
                INIT + '<transition><source ref="a"/><target ref="a"/><label kind="guard">0</label>'
                '<label kind="guard">1</label></transition>'
            ),
            "two labels of kind 'guard'",
        ),
        (
            TEMPLATE.format(
                '<location id="b"><label kind="invariant">true</label><label kind="invariant">false</label></location>'
                + INIT
            ),
            "two labels of kind 'invariant'",
        ),
    ],
)
def test_xml(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        load(Source("model.xml", f"<nta>{text}</nta>"))
    assert message in raised.value.message
    assert raised.value.span


def test_long_lines_are_not_shown_as_a_whole() -> None:
    text = "int v; " * 20_000 + PROCESS
    with pytest.raises(InputError) as raised:
        load(Source("model.xta", text))
    _, line, mark, *_ = str(raised.value).splitlines()
    assert line[mark.index("^") :].startswith("v; int v;")
    assert len(line) < 200


@pytest.mark.parametrize(
    "loops",
    [
        "while (true) { }",
        "for (i : int[0,2000]) for (j : int[0,2000]) { }",
    ],
)
def test_endless_loops_go_wrong(loops: str) -> None:
    """Not one after the other, and not one inside of the other; and nothing is said of what would come after them."""
    model = load(Source("model.xta", f"void f() {{ {loops} }} {_edge('assign f();')}"))
    report = check(model.with_query("E<> P.t"), properties=["assertions", "E<> P.t"])
    verdicts = {answer.property: str(answer.verdict) for answer in report.answers}
    assert verdicts == {"assertions": "violated", "E<> P.t": "unknown"}
    assert "goes wrong" in str(report.answers[-1].reason)


def test_an_assignment_inside_of_another_evaluates_its_index_once() -> None:
    text = f"int i; int a[3]; int v; {_edge('assign v = (a[i++] = 2);')}"
    query = "E<> P.t and i == 1 and a[0] == 2 and v == 2"
    assert str(check(load(Source("model.xta", text)).with_query(query), properties=[query]).verdict) == "holds"


def test_queries_with_too_many_cases_are_refused() -> None:
    condition = " and ".join(f"(x > {bound} or x < {bound})" for bound in range(30))
    model = load(Source("model.xta", f"clock x; {PROCESS}")).with_query(f"E<> {condition}")
    with pytest.raises(InputError, match="1,073,741,824 cases"):
        check(model, properties=[f"E<> {condition}"])
