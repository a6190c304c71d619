"""Libraries as compilers for LTSmin and Spot make them: the same states as our own reading of the same model has."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.checking import check, explore
from ouroboros.engine.team import Team
from ouroboros.errors import InputError
from ouroboros.languages import Model, load
from ouroboros.verdict.report import Verdict


class Rule(NamedTuple):
    """Where variable `at` is `value` and the process is in state `origin`: `to` gets `more` modulo 5."""

    process: int
    origin: int
    target: int
    at: int
    value: int
    to: int
    more: int


VARIABLES, PROCESSES, STATES = 3, 2, 3

AUTOMATON = """
int have_property(void) { return 1; }
int buchi_is_accepting(void *model, int *in) { return in[3] == 1; }
"""


def dve(rules: list[Rule]) -> str:
    text = f"byte v[{VARIABLES}];\n"
    for process in range(PROCESSES):
        own = [
            f"  s{rule.origin} -> s{rule.target} {{ guard v[{rule.at}] == {rule.value};"
            f" effect v[{rule.to}] = (v[{rule.to}] + {rule.more}) % 5; }}"
            for rule in rules
            if rule.process == process
        ]
        trans = f" trans\n{','.join(own)};\n" if own else ""
        states = ", ".join(f"s{state}" for state in range(STATES))
        text += f"process P_{process} {{ state {states}; init s0;{trans}}}\n"
    return f"{text}system async;\n"


def library_text(rules: list[Rule], spins: bool, wrong: str = "") -> str:
    """The same in C, with the functions that either compiler exports."""
    size = VARIABLES + PROCESSES
    steps = "\n".join(
        f"  if (in[{VARIABLES + rule.process}] == {rule.origin} && in[{rule.at}] == {rule.value}) {{"
        f" memcpy(out, in, sizeof out); out[{VARIABLES + rule.process}] = {rule.target};"
        f" out[{rule.to}] = (out[{rule.to}] + {rule.more}) % 5; info.group = {number};"
        f" labels[1] = {int(rule.more == 4)}; take(argument, &info, out, unchanged); count++; }}"
        for number, rule in enumerate(rules)
    )
    names = [*(f"v[{each}]" for each in range(VARIABLES)), *(f"P_{each}" for each in range(PROCESSES))]
    listed = ", ".join(f'"{name}"' for name in names)
    prefix = "spins_" if spins else ""
    kind = "spins_get_type" if spins else "get_state_variable_type"
    extra = """
int spins_get_edge_count(void) { return 2; }
const char *spins_get_edge_name(int edge) { return edge ? "action" : "statement"; }
int spins_get_edge_type(int edge) { return edge ? 2 : 3; }
int spins_get_label_count(void) { return 3; }
int spins_get_guard_count(void) { return 1; }
const char *spins_get_label_name(int label) { return label == 1 ? "end_" : "both"; }
int spins_get_label(void *model, int label, int *in) { return label == 1 ? in[3] == 2 : in[3] == in[4]; }
"""
    return f"""
#include <string.h>
typedef struct {{ int *labels; int group; }} info_t;
typedef void (*take_t)(void *, info_t *, int *, int *);
int {prefix}{"get_successor_all" if spins else "get_successors"}(void *m, int *in, take_t take, void *argument) {{
  int out[{size}], unchanged[{size}] = {{0}}, count = 0, labels[2] = {{0}};
  info_t info = {{labels, -1}};
  {wrong}
{steps}
  return count;
}}
void {prefix}get_initial_state(int *to) {{ memset(to, 0, {4 * size}); }}
int {"spins_get_state_size" if spins else "get_state_variable_count"}(void) {{ return {size}; }}
int {"spins_get_transition_groups" if spins else "get_transition_count"}(void) {{ return {max(1, len(rules))}; }}
static const char *const names[] = {{{listed}}};
const char *{prefix}get_state_variable_name(int variable) {{ return names[variable]; }}
int {prefix}get_state_variable_type(int variable) {{ return variable >= {VARIABLES}; }}
int {kind}_value_count(int type) {{ return type == 1 ? 3 : type == 2 ? 2 : 0; }}
static const char *const values[] = {{"s0", "s1", "s2"}}, *const actions[] = {{"", "assert"}};
const char *{kind}_name(int type) {{ return type ? "state" : "byte"; }}
const char *{kind}_value{"_name" if spins else ""}(int type, int value) {{
  return type == 2 ? actions[value] : values[value];
}}
{extra if spins else AUTOMATON}
"""


def compiled(text: str, folder: Path, name: str) -> Model:
    source, target = folder / "library.c", folder / name
    source.write_text(text)
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", str(source), "-o", str(target)], check=True)
    return load(target)


RULE = st.builds(
    Rule,
    st.integers(0, PROCESSES - 1),
    st.integers(0, STATES - 1),
    st.integers(0, STATES - 1),
    st.integers(0, VARIABLES - 1),
    st.integers(0, 4),
    st.integers(0, VARIABLES - 1),
    st.integers(0, 4),
)

COUNTER = [Rule(0, 0, 1, 0, value, 0, 1) for value in range(5)] + [Rule(0, 1, 0, 0, value, 0, 0) for value in range(5)]
BOTH = [*COUNTER, *(rule._replace(process=1, at=1, to=1, more=2 * rule.more) for rule in COUNTER)]


@settings(max_examples=8, deadline=None)
@given(st.lists(RULE, max_size=20))
def test_any_rules_make_the_same_graph(tmp_path_factory: pytest.TempPathFactory, rules: list[Rule]) -> None:
    folder = tmp_path_factory.mktemp("rules")
    text = folder / "model.dve"
    text.write_text(dve(rules))
    ours = load(text)
    first = explore(ours).answers[0].search.statistics
    formula = check(ours, ltl=["F G !(P_0.s1)"], fairness=None).answers[-1].verdict
    for name in ("model.dve2C", "model.spins"):
        theirs = compiled(library_text(rules, name.endswith("spins")), folder, name)
        second = explore(theirs).answers[0].search.statistics
        assert (second.states, second.transitions, second.depth) == (first.states, first.transitions, first.depth)
        assert check(theirs, ltl=["F G !(P_0.s1)"]).answers[-1].verdict is formula
        if name.endswith("dve2C"):
            assert second.deadlocks == first.deadlocks


@pytest.mark.parametrize("store", ["full", "tree"])
@pytest.mark.parametrize("workers", [1, 2])
def test_searches_and_conditions(tmp_path: Path, store: str, workers: int) -> None:
    model = compiled(library_text(BOTH, spins=False), tmp_path, "both.dve2C")
    (answer,) = explore(model, store=store, team=Team(workers)).answers
    assert (answer.search.statistics.states, answer.search.statistics.transitions) == (100, 200)
    report = check(model, invariants=["v[0] + v[1] < 8", "P_0 <= 1 && !(P_1.s2)"], store=store, team=Team(workers))
    assert [each.verdict for each in report.answers if each.property.startswith(("v", "P"))] == [
        Verdict.VIOLATED,
        Verdict.HOLDS,
    ]
    trace = report.answers[0].trace or report.answers[1].trace
    assert trace
    (last,) = trace.steps[-1:]
    assert last.state is not None
    assert {item.name for item in model.system.layout.fields} == {"v[0]", "v[1]", "v[2]", "P_0", "P_1"}


def test_values_beyond_their_types_get_more_room(tmp_path: Path) -> None:
    """The last variable is said to be a byte, and is not; in the initial state, or later."""
    text = library_text(BOTH, spins=False)
    model = compiled(text.replace("(out[0] + 1) % 5", "(out[0] + 700) % 2100"), tmp_path, "later.dve2C")
    words = model.system.layout.words
    (answer,) = explore(model).answers
    assert answer.search.statistics.states > 1
    assert model.system.layout.words > words
    text = text.replace("memset(to, 0, 20);", "memset(to, 0, 20); to[2] = -1;")
    model = compiled(text, tmp_path, "first.dve2C")
    assert model.system.layout.read(model.system.initial[0], model.system.layout.fields[2]) == -1
    assert explore(model).answers[0].search.statistics.states == 100


def test_the_automaton_of_a_library_is_its_property(tmp_path: Path) -> None:
    violated = compiled(library_text(BOTH, spins=False), tmp_path, "loops.dve2C")
    assert [(each.property, each.verdict) for each in check(violated).answers] == [("property", Verdict.VIOLATED)]
    ends = compiled(library_text([Rule(0, 0, 1, 0, 0, 0, 1)], spins=False), tmp_path, "ends.dve2C")
    assert [(each.property, each.verdict) for each in check(ends).answers] == [("property", Verdict.HOLDS)]


def test_assertions_ends_and_labels_of_spins(tmp_path: Path) -> None:
    rules = [Rule(0, 0, 1, 0, 0, 0, 1), Rule(0, 1, 2, 0, 1, 1, 4)]
    model = compiled(library_text(rules, spins=True), tmp_path, "asserts.spins")
    verdicts = {each.property: each for each in check(model).answers}
    assert verdicts["assertions"].verdict is Verdict.VIOLATED
    assert verdicts["assertions"].trace
    assert len(verdicts["assertions"].trace.steps) == 2
    assert verdicts["end-states"].verdict is Verdict.HOLDS
    assert check(model, ltl=["F !both"]).answers[-1].verdict is Verdict.HOLDS
    with pytest.raises(InputError, match="there is no variable bath"):
        check(model, invariants=["bath"])


def test_a_library_that_writes_to_what_it_was_given_is_found_out(tmp_path: Path) -> None:
    text = library_text(BOTH, spins=False, wrong="if (in[0] == 2) in[0] = 3;")
    (answer,) = check(compiled(text, tmp_path, "writes.dve2C")).answers
    assert answer.verdict is Verdict.VIOLATED
    assert answer.trace
    assert "get_successors changes the state" in answer.trace.violation.message
