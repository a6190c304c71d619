"""Ouroboros as a library."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import networkx
import pytest

import ouroboros
from tests.cli.helpers import ouro
from tests.cli.test_verdicts import SCHEMA

MODEL = Path(__file__).parents[1] / "cli" / "models" / "philosophers.dve"
COUNTER = """\
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
ltl small { [] (x < 3) }
ltl again { [] <> (x == 0) }
"""


@pytest.fixture
def counter() -> ouroboros.Model:
    return ouroboros.loads(COUNTER, "promela")


@pytest.fixture
def philosophers() -> ouroboros.Model:
    return ouroboros.load(MODEL)


def test_a_report_is_read_by_name(counter: ouroboros.Model) -> None:
    report = ouroboros.check(counter)
    assert (report.holds, report.verdict) == (False, "violated")
    assert dict(report.answers)["again"].holds
    small = report.answers["small"]
    assert (small.holds, small.verdict) == (False, ouroboros.Verdict.VIOLATED)
    assert small.trace is not None
    assert report.trace is not None
    assert report.property_name == "small"
    with pytest.raises(KeyError, match="there are answers for"):
        report.answers["smal"]
    with pytest.raises(TypeError, match=r"ask report\.holds"):
        bool(report)
    with pytest.raises(ouroboros.Violated, match="violated") as raised:
        report.raise_if_violated()
    assert raised.value.report is report
    ouroboros.check(counter, properties=["again"]).raise_if_violated()


def test_a_report_is_printed_and_written(counter: ouroboros.Model, tmp_path: Path) -> None:
    report = ouroboros.check(counter, properties=["small"])
    assert len(repr(report)) < 100
    assert "violated" in repr(report)
    path = tmp_path / "model.pml"
    path.write_text(COUNTER)
    by_command = ouro("check", path, "--property", "small").out

    def without_numbers(text: str) -> list[str]:
        return [re.sub(r"[\d.,]+", "N", line.replace(str(path), "model.pml")) for line in text.splitlines()[:12]]

    assert without_numbers(str(report)) == without_numbers(by_command)
    data = report.to_dict()
    jsonschema.validate(data, SCHEMA)
    assert json.loads(report.to_json()) == data
    assert data["verdict"] == "violated"


def test_a_page_for_a_notebook_is_compact_and_takes_no_name_for_html() -> None:
    text = "byte x; active proctype P() { do :: x++ od } ltl odd { [] (x < 200) }"
    report = ouroboros.loads(text, "promela").check()
    page = report._repr_html_()
    assert len(page) < 70_000
    assert "<details>" in page
    assert page.count("<tr") < 410
    evil = "byte x; process P { state a; init a; trans a -> a { guard x < 1; effect x = 1; }; } system async;"
    page = ouroboros.loads(evil, "dve", name="<script>.dve").check(invariants=[["x < 1", ' "<b>" == 1'][0]])
    assert "<script>" not in page._repr_html_()


def test_a_trace_is_a_sequence_of_steps(philosophers: ouroboros.Model) -> None:
    trace = philosophers.check().trace
    assert trace is not None
    assert len(trace) == 2
    first = trace[0]
    assert (first.process, first.before) == ("Left", trace.initial)
    assert first.source is not None
    assert (Path(first.source.file).name, first.source.line) == ("philosophers.dve", first.source.line)
    assert first.source.text == first.action
    assert first.changes
    name, (before, after) = next(iter(first.changes.items()))
    assert (first.before[name], first.after and first.after[name]) == (before, after)
    assert list(trace.states) == [trace.initial, *(step.after for step in trace)]
    assert trace[-1].after == list(trace.states)[-1]
    assert "deadlock" in repr(trace) or "no step" in repr(trace)
    assert trace.cycle == ()


def test_a_run_for_ever_has_a_cycle(counter: ouroboros.Model) -> None:
    trace = counter.check(ltl=["<> [] (x == 0)"]).trace
    assert trace is not None
    assert trace.loop_start is not None
    assert trace.cycle[-1].after == list(trace.states)[trace.loop_start]


def test_states_are_mappings_that_can_be_kept(philosophers: ouroboros.Model) -> None:
    (state,) = philosophers.initial_states()
    assert state["Left"] == "thinking"
    assert state["fork"] == (0, 0)
    assert {state: 1}[philosophers.initial_states()[0]] == 1
    steps = philosophers.successors(state)
    assert {step.process for step in steps} == {"Left", "Right"}
    assert all(step.after != state for step in steps)
    assert len({step.after for step in steps}) == len(steps)


def test_the_state_graph_is_data(philosophers: ouroboros.Model, tmp_path: Path) -> None:
    statistics = philosophers.explore().statistics
    graph = philosophers.graph()
    assert (len(graph.states), len(graph.edges)) == (statistics.states, statistics.transitions)
    assert graph.vectors().shape[0] == statistics.states
    made = graph.to_networkx()
    assert (made.number_of_nodes(), made.number_of_edges()) == (statistics.states, statistics.transitions)
    stuck = [node for node in made if made.out_degree(node) == 0]
    assert len(stuck) == statistics.deadlocks
    distances = networkx.single_source_shortest_path_length(made, 0)
    assert max(distances.values()) == statistics.depth
    file = tmp_path / "graph.graphml"
    file.write_text(graph.to_graphml())
    read = networkx.read_graphml(file)
    assert (read.number_of_nodes(), read.number_of_edges()) == (statistics.states, statistics.transitions)
    dot = graph.to_dot()
    assert dot.count(" -> ") >= len(graph.edges)
    assert set(graph.edges[:, 1].tolist()) | set(range(graph.initial)) == set(range(len(graph.states)))
    with pytest.raises(ouroboros.OuroborosError, match="more than 3 states"):
        philosophers.graph(3)


def test_a_graph_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "graph.graphml"
    ran = ouro("graph", MODEL, "-o", file)
    assert ran.code == 0
    assert len(ElementTree.parse(file).getroot().findall(".//{*}node")) == int(ran.out.split(": ")[1].split()[0])
    assert ouro("graph", MODEL, "-o", tmp_path / "graph.png").code == 2
    ran = ouro("graph", MODEL, "-o", tmp_path / "graph.dot", "--most", 3)
    assert (ran.code, "more than 3 states" in ran.err) == (2, True)


def test_processes_that_are_made_while_a_model_runs_are_in_its_graph() -> None:
    text = "byte n; proctype C() { n++ } init { run C(); run C(); run C() }"
    model = ouroboros.loads(text, "promela")
    statistics = model.explore().statistics
    assert len(model.graph().states) == statistics.states


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ltl": "[] p"}, r"ltl='\[\] p': it is a list, such as ltl=\['\[\] p'\]"),
        ({"invariants": 3}, "it is a list of texts"),
        ({"properties": [1]}, "1 is no text"),
        ({"team": "two"}, "a number of workers"),
        ({"team": 0}, "from 1 on"),
        ({"team": True}, "a number of workers"),
        ({"time": "soon"}, "'soon' is no duration"),
        ({"time": -1}, "greater than zero"),
        ({"memory": "much"}, "'much' is no size"),
        ({"states": "10"}, "a number"),
        ({"limits": 60}, r"Limits\(…\)"),
        ({"limits": ouroboros.Limits(), "time": "1s"}, "give one of them"),
        ({"fairness": "strog"}, "choose from None, weak, strong"),
        ({"algorithm": "dfs"}, "'dfs' is no algorithm"),
        ({"deadlock": "of"}, "choose from None, stuck"),
        ({"store": "ful"}, "ful"),
        ({"symmetry": "yes"}, "True or False"),
        ({"reductions": ["mergin"]}, "none called 'mergin'"),
        ({"reductions": "merging"}, "it is a list"),
        ({"invariant": ["x"]}, "did you mean invariants"),
        ({"xyz": 1}, "choose from"),
        ({"keeper": "folder"}, "there is no argument keeper"),
        ({"certificate": 3}, "the path of a file"),
        ({"observer": 3}, "it is a function"),
        ({"stutter": 1}, "True, False or None"),
        ({"seed": True}, "it is a number"),
        ({"time": float("nan")}, "greater than zero"),
        ({"memory": float("inf")}, "greater than zero"),
    ],
)
def test_a_wrong_argument_is_never_taken_for_another(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ouroboros.OuroborosError, match=message):
        ouroboros.loads(COUNTER, "promela").check(**arguments)


def test_other_wrong_arguments() -> None:
    with pytest.raises(ouroboros.OuroborosError, match="choose from dve"):
        ouroboros.loads("x", "pascal")
    with pytest.raises(ouroboros.OuroborosError, match="is no model"):
        ouroboros.check("model.pml")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ouroboros.OuroborosError, match="overflow"):
        ouroboros.load(MODEL, overflow="warp")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ouroboros.OuroborosError, match="dictionary"):
        ouroboros.load(MODEL, definitions=["N=3"])  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ouroboros.OuroborosError, match="did you mean states"):
        ouroboros.load(MODEL).explore(state=3)
    with pytest.raises(ouroboros.InputError, match=r"mine\.pml:1:"):
        ouroboros.loads("byte x = ;", "promela", name="mine")
    with pytest.raises(ouroboros.OuroborosError, match="nowhere"):
        ouroboros.load("nowhere.dve")


def test_limits_and_workers_are_plain_words(philosophers: ouroboros.Model) -> None:
    report = philosophers.explore(states=2)
    assert (report.verdict, report.limit, report.complete) == ("unknown", "states", False)
    report = philosophers.check(invariants=["fork[0] < 2"], team=2, time="60s", memory="1G")
    assert (report.verdict, report.workers) == ("holds", 2)
    assert philosophers.explore(store="tree").assurance[0] == "tree store, exact"


def test_a_certificate_is_written_for_the_model_as_it_was_read(tmp_path: Path) -> None:
    path, file = tmp_path / "model.pml", tmp_path / "proof.cert"
    path.write_text("#define N 2\nbyte x; active proctype P() { do :: x < N -> x++ :: else -> x = 0 od }")
    report = ouroboros.load(path, definitions={"N": 3}).check(invariants=["x <= 3"], certificate=file, memory=1.5e9)
    assert report.holds
    # The file has 2 for N: only what the certificate says of it makes x == 3 reachable.
    ran = ouro("verify-certificate", path, file)
    assert (ran.code, "x <= 3" in ran.out) == (0, True), ran


def test_definitions_are_values_of_any_kind() -> None:
    text = "#define N 2\nbyte x; active proctype P() { do :: x < N -> x++ :: else -> break od }"
    few, many = (ouroboros.loads(text, "promela", definitions={"N": n}).explore().statistics.states for n in (2, 20))
    assert many > few


def test_automata() -> None:
    automaton = ouroboros.automaton("[] (p -> <> q)")
    assert (len(automaton.states), automaton.atoms) == (2, ("p", "q"))
    assert automaton.accepting < set(automaton.states)
    assert {edge.source for edge in automaton.edges} == set(automaton.states)
    assert automaton.to_hoa().startswith("HOA: v1")
    assert automaton.to_dot().startswith("digraph")
    spot = pytest.importorskip("spot")
    assert spot.are_equivalent(automaton.to_spot(), spot.translate("G(p -> F q)"))
    negated = ouroboros.automaton("[] (p -> <> q)", negated=True)
    assert spot.are_equivalent(negated.to_spot(), spot.translate("F(p & G !q)"))
    with pytest.raises(ouroboros.OuroborosError):
        ouroboros.automaton("[] (p ->")


def test_a_simulation_is_the_same_for_the_same_seed(philosophers: ouroboros.Model) -> None:
    simulation = ouroboros.simulate(philosophers, seed=3, steps=20)
    assert 0 < len(simulation) <= 20
    assert simulation == ouroboros.simulate(ouroboros.load(MODEL), seed=3, steps=20)
    assert simulation[0].before == simulation.initial
    for step in simulation:
        assert step in philosophers.successors(step.before)
    assert all(one.after == other.before for one, other in pairwise(simulation))
    with pytest.raises(ouroboros.OuroborosError, match="steps=-1"):
        ouroboros.simulate(philosophers, steps=-1)
