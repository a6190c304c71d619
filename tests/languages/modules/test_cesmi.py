"""Modules with the interface CESMI go through everything that a model goes through."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.checking import check, explore
from ouroboros.checkpoint.choosing import choose
from ouroboros.checkpoint.directory import Directory
from ouroboros.checkpoint.keeper import Keeper
from ouroboros.engine.limits import Limits
from ouroboros.engine.team import Team
from ouroboros.errors import InputError, UsageError
from ouroboros.languages import Model, load
from ouroboros.languages.modules.cesmi.steps import ROOMS, content, room_for, values_in, vector, words_for
from ouroboros.languages.modules.opening import HEADER
from ouroboros.source import Source
from ouroboros.verdict.report import Report, Verdict
from tests.cli.helpers import ouro
from tests.ranks import run_ranks

HERE = Path(__file__).parent
MIU = HERE.parents[2] / "examples" / "cesmi" / "miu.c"
STATES, EDGES, STUCK, DEPTH = 216, 575, 8, 19
"""Of words with up to twelve letters, by the rules in Python below."""


def module(path: Path, **definitions: object) -> Model:
    given = {name: str(value) for name, value in definitions.items()}
    return load(path, definitions=given, settings={"cesmi": ("on",)})


@pytest.fixture(scope="module")
def miu() -> Model:
    return module(MIU)


def words_made(word: str) -> list[str]:
    found = [f"{word}U"] if word.endswith("I") else []
    found.append(word + word[1:])
    found += [f"{word[:at]}U{word[at + 3 :]}" for at in range(len(word)) if word[at : at + 3] == "III"]
    found += [word[:at] + word[at + 2 :] for at in range(len(word)) if word[at : at + 2] == "UU"]
    return [each for each in found if len(each) <= 12]


def test_the_puzzle_has_as_many_words_as_its_rules_make() -> None:
    known, queue = {"MI"}, ["MI"]
    edges = stuck = 0
    for word in queue:
        made = words_made(word)
        edges += len(made)
        stuck += not made
        fresh = [each for each in dict.fromkeys(made) if each not in known]
        known.update(fresh)
        queue += fresh
    assert (len(known), edges, stuck) == (STATES, EDGES, STUCK)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("store", ["full", "tree", "collapse", "compact:64"])
def test_states_of_any_size_are_counted(miu: Model, store: str, workers: int) -> None:
    (answer,) = explore(miu, store=store, team=Team(workers)).answers
    found = answer.search.statistics
    assert (found.states, found.transitions, found.deadlocks, found.depth) == (STATES, EDGES, STUCK, DEPTH)


def test_properties_of_the_module_and_formulas_over_its_flags(miu: Model) -> None:
    (answer,) = check(miu).answers
    assert (answer.property, answer.verdict) == ("mu", Verdict.HOLDS)
    for workers in (1, 2):
        (answer,) = check(miu, ltl=["G !multiple_of_three"], team=Team(workers)).answers
        assert answer.verdict is Verdict.HOLDS
    deadlock = check(miu, properties=["deadlock"]).answers[-1]
    assert deadlock.trace
    told = [part.text for step in deadlock.trace.steps for part in deadlock.trace.parts(step)]
    assert told[0] == "I becomes IU at the end"
    assert len(told) == 3


def test_a_search_is_saved_and_goes_on_with_other_workers(miu: Model, tmp_path: Path) -> None:
    directory = Directory(str(tmp_path))
    (tmp_path / "run.json").touch()
    (answer,) = explore(miu, keeper=Keeper(directory, every=3600), limits=Limits(states=100)).answers
    assert answer.verdict is Verdict.UNKNOWN
    keeper = Keeper(directory, every=3600)
    choice = Team(1).run(lambda exchange, budget: choose(directory, exchange), memory=0)
    assert choice.generation is not None
    keeper.resume(choice.generation)
    (answer,) = explore(miu, keeper=keeper, team=Team(2)).answers
    assert answer.search.statistics.states == STATES


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, int]], dict[int, int]]:
    size = draw(st.integers(1, 12))
    node = st.integers(0, size - 1)
    initial = draw(st.lists(node, min_size=1, max_size=3))
    edges = draw(st.lists(st.tuples(node, node), max_size=30))
    flags = draw(st.dictionaries(node, st.sampled_from([1, 2, 3, 256, 512, 768, 257])))
    return initial, edges, flags


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("graph") / "graph.so"
    command = ["gcc", "-shared", "-fPIC", "-O1", f"-I{HEADER.parent}", str(HERE / "graph.c"), "-o", str(target)]
    subprocess.run(command, check=True)
    return target


@settings(max_examples=25, deadline=None)
@given(graphs())
def test_any_graph_is_the_one_that_the_module_generates(
    library: Path, told: tuple[list[int], list[tuple[int, int]], dict[int, int]]
) -> None:
    initial, edges, flags = told
    with pytest.MonkeyPatch.context() as patch:
        text = (
            " ".join(map(str, initial)),
            " ".join(f"{a}>{b}" for a, b in edges),
            " ".join(f"{a}:{f}" for a, f in flags.items()),
        )
        patch.setenv("OURO_TEST_GRAPH", "|".join(text))
        # What a process has read of its environment before Python changed it is what C sees.
        model = load(library)
        report = check(model)
        states = explore(model).answers[0].search.statistics
        special = check(model, ltl=["F special"]).answers[0].verdict
    graph = nx.MultiDiGraph(edges)
    graph.add_nodes_from(initial)
    seen = set(initial).union(*(nx.descendants(graph, each) for each in initial))
    stuck = {each for each in seen if not graph.out_degree(each)}
    counted = (len(seen), sum(graph.out_degree(each) for each in seen), len(stuck))
    assert (states.states, states.transitions, states.deadlocks) == counted
    verdicts = {answer.property: answer.verdict is Verdict.HOLDS for answer in report.answers}
    accepting = {each for each in seen if flags.get(each, 0) & 2}
    cyclic = {
        each
        for each in accepting
        if graph.has_edge(each, each) or any(each in nx.descendants(graph, next_) for next_ in graph.successors(each))
    }
    assert verdicts == {
        "goal": not any(flags.get(each, 0) & 1 for each in seen),
        "stuck": not stuck,
        "p_3": not cyclic,
    }
    avoiding = graph.subgraph([each for each in seen if not flags.get(each, 0) & 256])
    begun = [each for each in initial if each in avoiding]
    reached = set(begun).union(*(nx.descendants(avoiding, each) for each in begun))
    rest = avoiding.subgraph(reached)
    assert (special is Verdict.HOLDS) == (nx.is_directed_acyclic_graph(rest) and not reached & stuck)


WRONG = {
    5: "writes beyond the end of the node that it makes",
    6: "changes the node that it was given",
    7: "gives a node that make_node and clone_node have not made",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_module_that_breaks_the_rules_is_found_out(wrong: int) -> None:
    report: Report = check(module(HERE / "wrong.c", WRONG=wrong))
    violated = next(answer for answer in report.answers if answer.verdict is Verdict.VIOLATED)
    assert violated.trace
    assert len(violated.trace.steps) == 6
    assert WRONG[wrong] in violated.trace.violation.message


def test_a_module_without_an_end_of_successors_is_told() -> None:
    with pytest.raises(InputError, match="more than 65,536 successors of one state: the last handle must be 0"):
        check(module(HERE / "wrong.c", WRONG=8))


def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ouroboros", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (1, "wrong.c: get_successor has crashed: SIGSEGV, a wrong access to memory"),
        (2, "wrong.c: get_successor has crashed: SIGABRT, abort"),
        (4, "wrong.c: it has asked make_node for -1 bytes"),
    ],
)
def test_a_module_that_crashes_is_named(wrong: int, told: str) -> None:
    end = ran("check", str(HERE / "wrong.c"), "--cesmi", "-D", f"WRONG={wrong}")
    assert end.returncode == 2
    assert told in end.stderr
    if wrong < 4:
        assert "called with 1 for the state of 4 bytes 05000000" in end.stderr


def test_a_crash_of_a_worker_is_told_as_data() -> None:
    end = ran("check", str(HERE / "wrong.c"), "--cesmi", "-D", "WRONG=1", "--workers", "2", "--json", "-")
    assert end.returncode == 2
    assert "get_successor has crashed" in json.loads(end.stdout)["error"]["message"]


def test_a_crash_of_a_rank_ends_all() -> None:
    end = run_ranks(2, "-m", "ouroboros", "check", str(HERE / "wrong.c"), "--cesmi", "-D", "WRONG=1")
    # That of the rank, or of those that mpiexec ends then.
    assert end.returncode != 0
    assert "get_successor has crashed: SIGSEGV" in end.stderr + end.stdout


def test_a_guarded_run_ends_as_it_would_alone() -> None:
    end = ran("check", str(HERE / "wrong.c"), "--cesmi", "-D", "WRONG=6", "--trace", "none")
    assert end.returncode == 1
    assert ran("check", str(HERE / "wrong.c"), "--cesmi", "--states", "3").returncode == 3


def test_what_is_no_module_is_told(tmp_path: Path) -> None:
    text = tmp_path / "text.so"
    text.write_text("no library")
    with pytest.raises(InputError, match="it cannot be loaded"):
        load(text)
    empty = tmp_path / "empty.c"
    empty.write_text("int answer(void) { return 42; }")
    with pytest.raises(InputError, match="it does not define get_successor"):
        module(empty)
    with pytest.raises(UsageError, match="--cesmi means nothing for"):
        load(HERE.parents[2] / "examples" / "dve" / "bakery.dve", settings={"cesmi": ("on",)})


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("setup->add_property(setup, 0, 0, 7);", "the type 7, which is none of the header's"),
        ('setup->add_flag(setup, "f", 3, 0);', "3 for f: it must be one bit, 256 or more"),
        ("setup->add_flag(setup, 0, 256, 0);", "with the name ''"),
    ],
)
def test_wrong_declarations_are_told(lines: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "declares.c"
    path.write_text(f"{(HERE / 'wrong.c').read_text()}\nvoid setup(cesmi_setup *setup) {{ {lines} }}\n")
    with pytest.raises(InputError, match=told):
        module(path)


def test_names_in_conditions_are_flags(miu: Model) -> None:
    with pytest.raises(InputError) as error:
        miu.proposition(Source("", "!goal && multiple"))
    assert "multiple_of_three" in str(error.value)


@given(st.binary(max_size=200))
def test_a_node_is_in_its_state(node: bytes) -> None:
    room = room_for(words_for(len(node)))
    assert room is not None
    assert content(vector(node, ROOMS[room])) == node
    assert room == 0 or ROOMS[room - 1] < words_for(len(node))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a:1, b:-2\n", {"a": 1, "b": -2}),
        ("x = on; y = off", {"x": "on", "y": "off"}),
        ("a:1, a:2", {}),
        ("MIU", {}),
        ("at 3: here, now", {}),
    ],
)
def test_texts_of_nodes_are_taken_apart_where_they_are_lists(text: str, values: Mapping[str, Any]) -> None:
    assert values_in(text) == values


def test_the_header_comes_along() -> None:
    assert ouro("cesmi", "--header").out == HEADER.read_text()
    assert "ouro cesmi --header" in ouro("cesmi").err
