"""Component-interaction automata: what composites let pass, against the definition, and the places of mistakes."""

from __future__ import annotations

from itertools import product

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.checking import check, explore
from ouroboros.errors import InputError
from ouroboros.languages import load_text
from ouroboros.languages.coin import CoinModel
from ouroboros.source import Source
from ouroboros.verdict.report import Verdict

Label = tuple[str, str, str]


def model(text: str) -> CoinModel:
    found = load_text(Source("model.coin", text))
    assert isinstance(found, CoinModel)
    return found


MACHINE = """
automaton Machine (1a, 1b) {
  state idle, paid, cooks;
  init idle;
  trans
    idle -> paid (-, money, 1a),
    paid -> cooks (1a, start, 1b), // inside
    -> idle (1a, back, -),
    cooks -> idle (1b, coffee, -);
}
automaton Client (2) {
  state idle, waits;
  init idle;
  trans idle -> waits (2, money, -), waits -> idle (-, coffee, 2);
}
"""


@pytest.mark.parametrize(
    ("restriction", "states", "transitions"),
    [
        # Everything is possible, together or alone.
        ("", 6, 16),
        ("restrictL (2, money, -), (-, money, 1a), (1b, coffee, -), (-, coffee, 2);", 4, 4),
        ("onlyL (2, money, 1a), (1a, start, 1b);", 3, 2),
    ],
)
def test_what_a_composite_lets_pass(restriction: str, states: int, transitions: int) -> None:
    both = model(f"{MACHINE} composite Both {{ Machine, Client; {restriction} }} system Both;")
    (answer,) = explore(both).answers
    assert (answer.search.statistics.states, answer.search.statistics.transitions) == (states, transitions)


COMPONENTS, ACTIONS, STATES = "123", "ab", 2

labels = st.tuples(st.sampled_from(["-", "own"]), st.sampled_from(ACTIONS), st.sampled_from(["-", "own"])).filter(
    lambda label: label[0] != label[2] or label[0] == "own"
)
automata = st.lists(st.tuples(st.integers(0, STATES - 1), st.integers(0, STATES - 1), labels), max_size=5)
any_label = st.tuples(
    st.sampled_from(["-", *COMPONENTS]), st.sampled_from(ACTIONS), st.sampled_from(["-", *COMPONENTS])
).filter(lambda label: label[0] != "-" or label[2] != "-")
restrictions = st.tuples(st.sampled_from(["restrictL", "onlyL"]), st.lists(any_label, min_size=1, max_size=6))


def written(label: Label) -> str:
    return f"({', '.join(label)})"


@settings(max_examples=25, deadline=None)
@given(st.lists(automata, min_size=3, max_size=3), restrictions, restrictions)
def test_any_composition_is_as_it_is_defined(
    behaviours: list[list[tuple[int, int, Label]]],
    inner: tuple[str, list[Label]],
    outer: tuple[str, list[Label]],
) -> None:
    """((1 2) 3), built state by state from the definition of composition."""
    text, graphs = "", []
    for name, behaviour in zip(COMPONENTS, behaviours, strict=True):
        own = [(a, b, tuple(name if part == "own" else part for part in label)) for a, b, label in behaviour]
        graphs.append(own)
        trans = f"trans {', '.join(f's{a} -> s{b} {written(label)}' for a, b, label in own)};" if own else ""
        text += f"automaton A{name} ({name}) {{ state s0, s1; init s0; {trans} }}\n"
    for name, members, (kind, listed) in (("In", "A1, A2", inner), ("Out", "In, A3", outer)):
        text += f"composite {name} {{ {members}; {kind} {', '.join(map(written, listed))}; }}\n"
    found = explore(model(f"{text} system Out;")).answers[0].search.statistics

    def together(
        one: dict[int, list[tuple[int, Label]]],
        other: dict[int, list[tuple[int, Label]]],
        size: int,
        rule: tuple[str, list[Label]],
    ) -> dict[int, list[tuple[int, Label]]]:
        made: dict[int, list[tuple[int, Label]]] = {}
        for a, b in product(range(len(one)), range(len(other))):
            steps = [(x * size + b, label) for x, label in one[a]] + [(a * size + y, label) for y, label in other[b]]
            for (x, first), (y, second) in product(one[a], other[b]):
                if first[1] == second[1] and first[2] == "-" and second[0] == "-":
                    steps.append((x * size + y, (first[0], first[1], second[2])))
                if first[1] == second[1] and second[2] == "-" and first[0] == "-":
                    steps.append((x * size + y, (second[0], first[1], first[2])))
            made[a * size + b] = [step for step in steps if (step[1] in rule[1]) == (rule[0] == "onlyL")]
        return made

    single = [{s: [(b, label) for a, b, label in own if a == s] for s in range(STATES)} for own in graphs]
    whole = together(together(single[0], single[1], 2, inner), single[2], 2, outer)
    graph = nx.MultiDiGraph([(a, b) for a, steps in whole.items() for b, _ in steps])
    graph.add_node(0)
    seen = {0} | nx.descendants(graph, 0)
    assert (found.states, found.transitions) == (len(seen), sum(graph.out_degree(each) for each in seen))


def with_property(steps: str, accept: str = "bad") -> CoinModel:
    return model(
        f"{MACHINE} composite Both {{ Machine, Client; onlyL (2, money, 1a), (1a, start, 1b), (1b, coffee, 2); }}"
        f" system Both; property {{ state good, bad; init good; accept {accept}; trans {steps}; }}"
    )


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        (
            "good -> bad { (1b, coffee, 2) } { }, good -> good { * - (1b, coffee, 2) } { }, bad -> bad { * } { }",
            "violated",
        ),
        ("good -> good { * } { }, good -> bad { (1a, back, -) } { }, bad -> bad { * } { }", "holds"),
        (
            "good -> bad { * } { (1a, start, 1b), ! (2, money, 1a) }, good -> good { * } { }, bad -> bad { * } { }",
            "violated",
        ),
        (
            "good -> bad { * } { (1a, start, 1b), (2, money, 1a) }, good -> good { * } { }, bad -> bad { * } { }",
            "holds",
        ),
        # It gets stuck at the first coffee.
        ("good -> good { (2, money, 1a), (1a, start, 1b) } { }", "holds"),
    ],
)
def test_the_property_goes_along_with_actions(steps: str, verdict: str) -> None:
    (answer,) = check(with_property(steps, "good" if steps.count("bad") == 0 else "bad")).answers
    assert answer.property == "property"
    assert answer.verdict is Verdict(verdict)


def test_formulas_speak_of_states_and_of_actions() -> None:
    both = with_property("good -> good { * } { }")
    formulas = {
        "G (done(2, money, 1a) -> Client.waits && enabled(1a, start, 1b))": Verdict.HOLDS,
        "G F done(1b, coffee, 2)": Verdict.HOLDS,
        "F G !done(2, money, 1a)": Verdict.VIOLATED,
    }
    answers = check(both, ltl=list(formulas)).answers
    assert {each.property: each.verdict for each in answers if each.property in formulas} == formulas
    (violated,) = (each for each in answers if each.verdict is Verdict.VIOLATED)
    assert violated.trace
    assert [part.text for part in violated.trace.parts(violated.trace.steps[0])] == ["(2, money, 1a)"] * 2


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        ("system A;", "1:8", "there is no automaton A"),
        ("automaton A (1) { state s; init t; } system A;", "1:33", "there is no state t here"),
        (
            "automaton A (1) { state s; init s; trans s -> s (-, a, -); } system A;",
            "1:49",
            "a sender, a receiver, or both",
        ),
        ("automaton A (1) { state s; init s; trans s -> s (2, a, -); } system A;", "1:49", "there is no component 2"),
        ("automaton A (1) { state s, s; init s; } system A;", "1:28", "there are two states s"),
        ("automaton A (1) { state s; init s; } composite B { A, A; } system B;", "1:55", "is part of the system twice"),
        ("automaton A (1) { init s; } system A;", "1:19", "`state` was expected"),
        ("automaton A (1) { state s; init s; } /* system A;", "1:38", "a comment that does not end"),
    ],
)
def test_mistakes_have_places(text: str, place: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        model(text)
    assert told in str(error.value)
    assert f"model.coin:{place}:" in str(error.value)


def test_labels_that_are_never_done_are_told() -> None:
    both = with_property("good -> good { * } { }")
    with pytest.raises(InputError, match="the system never does"):
        both.proposition(Source("--ltl", "done(1a, back, -)"))
    with pytest.raises(InputError, match=r"did you mean Client\.waits"):
        both.proposition(Source("--ltl", "Client.wait"))
