"""Formulas: the verdict on each model is the one that the model's own comments expect, by every algorithm."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from .helpers import MODELS, ouro
from .test_verdicts import EXIT_CODES, SCHEMA

RING = MODELS / "ring.dve"
STUCK = MODELS / "stuck.dve"

EXPECTED = [
    (path, *found)
    for path in sorted(MODELS.glob("*.dve"))
    for found in re.findall(r"^// ltl (\w+)((?:, \w+ \d+)*): (.*)$", path.read_text(), re.MULTILINE)
]

WAYS = [("ndfs", 1), ("owcty", 1), ("map", 1), ("owcty", 2), ("map", 2), ("auto", 1)]


def check_shape(trace: dict[str, Any], numbers: str) -> None:
    if "prefix" in numbers:
        # Decided after so many steps, whatever follows.
        assert "loop" not in trace
        assert trace["#meta"]["violation"]["kind"] == "prefix"
        assert numbers.endswith(f" {trace['#meta']['steps']}")
        return
    loop, states = trace["loop"], trace["states"]
    first, last = dict(states[loop]), dict(states[-1])
    metas = [state.pop("#meta") for state in (first, last)]
    assert first == last
    assert metas[0]["automaton"] == metas[1]["automaton"]
    found = {"stem": loop, "cycle": len(states) - 1 - loop}
    assert found["cycle"] > 0
    for key, number in re.findall(r"(\w+) (\d+)", numbers):
        assert found[key] == int(number), key


@pytest.mark.parametrize(("algorithm", "workers"), WAYS)
@pytest.mark.parametrize(
    ("path", "verdict", "numbers", "formula"), EXPECTED, ids=lambda value: value.stem if isinstance(value, Path) else ""
)
def test_as_expected(path: Path, verdict: str, numbers: str, formula: str, algorithm: str, workers: int) -> None:
    ran = ouro("check", path, "--ltl", formula, "--algorithm", algorithm, "--workers", workers, "--json", "-")
    jsonschema.validate(ran.data, SCHEMA)
    assert ran.err == ""
    assert (ran.data["verdict"], ran.code) == (verdict, EXIT_CODES[verdict])
    (answer,) = ran.data["properties"]
    assert answer["name"] == formula
    if verdict == "violated":
        check_shape(answer["trace"], numbers)
        meta = answer["trace"]["#meta"]
        assert meta["property"] == formula
        assert algorithm in ("auto", meta["algorithm"])
        assert meta["source-sha256"] == ran.data["model"]["sha256"]


@pytest.mark.parametrize("order", ["discovery", "reverse", "hash"])
@pytest.mark.parametrize("edges", ["auto", "keep", "regenerate"])
def test_every_order_and_edge_policy(order: str, edges: str) -> None:
    options = ("--algorithm", "map", "--order", order, "--edges", edges)
    assert ouro("check", RING, "--ltl", "[]<> turn == 3", *options).code == 0
    assert ouro("check", RING, "--ltl", "<>[] turn == 3", *options).code == 1


def test_several_properties_have_an_answer_each() -> None:
    formulas = ["[]<> turn == 3", "<>[] turn == 3", "<> turn == 9"]
    ran = ouro("check", RING, *(word for formula in formulas for word in ("--ltl", formula)), "--json", "-")
    assert ran.code == 1
    answers = ran.data["properties"]
    assert [(answer["name"], answer["verdict"]) for answer in answers] == list(
        zip(formulas, ["holds", "violated", "violated"], strict=True)
    )
    assert ["trace" in answer for answer in answers] == [False, True, True]
    assert [answer["search"] for answer in answers] == [0, 1, 2]
    assert ran.data["trace"] == answers[1]["trace"]


def test_formulas_come_alone_unless_more_is_asked_for() -> None:
    formula = ("--ltl", "[](turn < 2)")
    alone = ouro("check", STUCK, *formula, "--json", "-").data
    assert [answer["name"] for answer in alone["properties"]] == ["[](turn < 2)"]
    more = ouro("check", STUCK, *formula, "--property", "stuck", "--invariant", "turn < 2", "--json", "-").data
    assert [answer["name"] for answer in more["properties"]] == ["assertions", "turn < 2", "stuck", "[](turn < 2)"]
    assert [answer["search"] for answer in more["properties"]] == [0, 0, 1, 2]


def test_the_report_for_people() -> None:
    ran = ouro("check", STUCK, "--ltl", "[]<> turn == 0", "--ltl", "[]<> turn == 1")
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert lines.count("cycle, repeated for ever") == 2
    assert "[]<> turn == 0 is violated" in lines
    assert "violated: a run that repeats a cycle of one step for ever" in lines
    assert lines[-1].endswith("counterexamples replayed by the interpreter beside the automaton")
    rests = [line for line in lines if line.lstrip().startswith("│ ")]
    assert len(rests) == 2
    assert all(line.endswith("here -> here { }") for line in rests)


def test_the_automaton_is_told_with_its_size_and_class() -> None:
    (answer,) = ouro("check", RING, "--ltl", "[]<> turn == 3", "--json", "-").data["properties"]
    # Somewhere, turn is 3 no more.
    assert answer["automaton"] == {"states": 2, "edges": 3, "class": "weak"}
    assert answer["formula"] == '[]<>"turn == 3"'


def test_the_phases_are_told() -> None:
    command = ("check", RING, "--ltl", "[]<> turn == 3", "--algorithm", "owcty")
    ran = ouro(*command, "--json", "-")
    assert ran.data["algorithm"] == "owcty"
    assert ran.data["phases"]
    assert {phase["name"] for phase in ran.data["phases"]} == set(
        re.findall(r"^ {4}(\w[\w ]*?) {2,}", ouro(*command).out, re.MULTILINE)
    ) - {"holds"}


def test_a_failing_action_on_the_way_is_a_violation() -> None:
    ran = ouro("check", MODELS / "division.dve", "--ltl", "<> x > 9", "--json", "-")
    assert (ran.code, ran.data["reason"]) == (1, "division by zero")
    meta = ran.data["trace"]["#meta"]
    assert (meta["steps"], meta["violation"]["kind"], meta["violation"]["failure"]) == (1, "failure", "division")
    assert meta["violation"]["action"][0]["process"] == "Divider"


@pytest.mark.parametrize(("algorithm", "workers"), WAYS)
def test_an_atom_that_cannot_be_evaluated_is_a_violation(algorithm: str, workers: int) -> None:
    ran = ouro(
        *("check", RING, "--ltl", "<> 6 / (3 - turn) > 9", "--json", "-"),
        *("--algorithm", algorithm, "--workers", workers),
    )
    assert (ran.code, ran.data["reason"]) == (1, "`6 / (3 - turn) > 9` cannot be evaluated: division by zero")
    assert ran.data["trace"]["#meta"]["steps"] == 3
    assert "loop" not in ran.data["trace"]


@pytest.mark.parametrize("algorithm", ["ndfs", "owcty", "map"])
def test_a_limit_ends_in_doubt(algorithm: str) -> None:
    ran = ouro("check", RING, "--ltl", "[]<> turn == 3", "--states", "2", "--algorithm", algorithm)
    assert ran.code == 3
    assert "unknown: the limit on states was met\n  allow more with --states" in ran.out


def test_a_vacuous_formula_is_warned_about() -> None:
    ran = ouro("check", RING, "--ltl", "[](turn == 9 -> <> turn == 0)", "--ltl", "[] turn < 6")
    assert ran.code == 0
    warnings = [line.strip() for line in ran.out.splitlines() if "warning" in line]
    assert warnings == [
        "warning: [](turn == 9 -> <> turn == 0): the formula holds vacuously:"
        " `turn == 9` is false in every state visited"
    ]


def test_a_file_of_formulas(tmp_path: Path) -> None:
    path = tmp_path / "ring.ltl"
    path.write_text("#define three (turn == 3)\n#property G(F(three))\n#property F(G(three))\n")
    ran = ouro("check", RING, "--ltl-file", path, "--json", "-")
    assert ran.code == 1
    assert [(answer["name"], answer["verdict"]) for answer in ran.data["properties"]] == [
        ("G(F(three))", "holds"),
        ("F(G(three))", "violated"),
    ]


def refused(*arguments: object) -> str:
    ran = ouro(*arguments)
    assert (ran.code, ran.out) == (2, "")
    return ran.err


@pytest.mark.parametrize(
    ("formula", "place"),
    [("[]<> turm == 3", "--ltl:1:6: "), ("[] (turn == 3", "--ltl:1:4: "), ("<>\n turn[0]", "--ltl:2:2: ")],
)
def test_a_bad_formula_is_shown_where_it_is_bad(formula: str, place: str) -> None:
    assert refused("check", RING, "--ltl", formula).startswith(place)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--ltl", "<> turn == 3", "--algorithm", "ndfs", "--workers", "2"), "is sequential"),
        (("--ltl", "<> turn == 3", "--order", "hash"), "without --algorithm map"),
        (("--ltl", "<> turn == 3", "--algorithm", "owcty", "--order", "hash"), "without --algorithm map"),
        (("--ltl", "<> turn == 3", "--algorithm", "ndfs", "--edges", "keep"), "no effect with --algorithm ndfs"),
        (("--algorithm", "map"), "no property was asked for that needs one"),
        (("--ltl", "<> turn == 3", "--algorithm", "dfs"), "--algorithm"),
    ],
)
def test_what_makes_no_sense_is_refused(options: tuple[str, ...], reason: str) -> None:
    assert reason in refused("check", RING, *options)


def test_the_automaton_of_a_formula() -> None:
    ran = ouro("ltl", "[](p -> <>q)", "--negate")
    assert ran.code == 0
    assert ran.out.splitlines()[:3] == ["![](p -> <>q)", "2 states, 3 edges, weak", ""]
    assert "state 1 (accepting)" in ran.out
    assert ouro("ltl", "[](p -> <>q)").out.startswith("[](p -> <>q)\n")


@pytest.mark.parametrize(("option", "start"), [("--hoa", "HOA: v1\n"), ("--never", "never {"), ("--dot", "digraph")])
def test_the_automaton_for_other_tools(option: str, start: str) -> None:
    ran = ouro("ltl", "p U {x > 3}", option)
    assert ran.code == 0
    assert ran.out.startswith(start)
    assert "x > 3" in ran.out
    assert ran.err.startswith('p U "x > 3"\n')


def test_one_format_at_a_time() -> None:
    assert "one format at a time" in refused("ltl", "p", "--hoa", "--dot")
    assert "formula:1:2" in refused("ltl", "p)")
