"""`system sync`: all processes move at once."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.checking import check, explore
from ouroboros.errors import InputError
from ouroboros.languages import load
from ouroboros.system.interpret import successors
from tests.languages.dve.models import loaded, values

SWAP = """
byte x = 1, y = 2;
process P { state a; init a; trans a -> a { effect x = y; }; }
process Q { state a; init a; trans a -> a { effect y = x; }; }
system sync;
"""


def test_each_sees_the_state_before_the_step() -> None:
    system = loaded(SWAP).system
    (step,) = successors(system, system.initial[0])
    assert step.state is not None
    assert (values(system, step.state)["x"], values(system, step.state)["y"]) == (2, 1)


def test_elements_of_arrays_are_put_back_in_between() -> None:
    text = """
byte a[3] = {1, 2, 3}, b[3];
process P { byte i = 1; state s; init s; trans s -> s { effect i = (i + 1) % 3, a[i] = a[i] + 10, a[0] = a[i]; }; }
process Q { state s; init s; trans s -> s { effect b[0] = a[0], b[1] = a[1], b[2] = a[2]; }; }
system sync;
"""
    system = loaded(text).system
    (step,) = successors(system, system.initial[0])
    assert step.state is not None
    after = values(system, step.state)
    assert [after[f"a[{k}]"] for k in range(3)] == [13, 2, 13]
    assert [after[f"b[{k}]"] for k in range(3)] == [1, 2, 3]


def test_a_process_that_cannot_move_holds_all_others_up() -> None:
    text = """
byte x;
process P { state a; init a; trans a -> a { guard x < 3; effect x = x + 1; }; }
process Q { state a, b; init a; trans a -> b {}; }
system sync;
"""
    system = loaded(text).system
    (step,) = successors(system, system.initial[0])
    assert step.state is not None
    assert successors(system, step.state) == []


def test_who_sets_the_same_variable_makes_an_error() -> None:
    text = SWAP.replace("effect y = x", "effect x = 7")
    system = loaded(text).system
    (step,) = successors(system, system.initial[0])
    assert step.failure is not None
    assert "P and Q both set `x` in one step" in system.failures[step.failure].message


def test_too_many_combinations_are_refused() -> None:
    transitions = ", ".join("a -> a {}" for _ in range(30))
    text = "".join(f"process P{k} {{ state a; init a; trans {transitions}; }}\n" for k in range(3)) + "system sync;"
    with pytest.raises(InputError, match="27,000 combinations"):
        loaded(text)


def test_a_formula_over_synchronous_steps(tmp_path) -> None:
    path = tmp_path / "swap.dve"
    path.write_text(SWAP)
    assert check(load(path), ltl=["[] (x == 1 -> X x == 2)"]).verdict == "holds"
    report = check(load(path), ltl=["[] x == 1"])
    assert report.verdict == "violated"


@st.composite
def machines(draw: st.DrawFn) -> list[list[tuple[int, int, int, int, int]]]:
    """For each process transitions: from, to, the other process and where that must be, what is added to its number."""
    count = draw(st.integers(2, 3))
    place = st.integers(0, 1)
    transition = st.tuples(place, place, st.integers(0, count - 1), place, st.integers(0, 2))
    return draw(st.lists(st.lists(transition, min_size=1, max_size=4), min_size=count, max_size=count))


@settings(max_examples=40, deadline=None)
@given(machines())
def test_random_systems_against_a_search_written_here(found: list[list[tuple[int, int, int, int, int]]]) -> None:
    processes = []
    for number, transitions in enumerate(found):
        told = ", ".join(
            f"s{source} -> s{target} {{ guard P{other}.s{where};"
            f" effect n{number} = (n{number} + n{(number + 1) % len(found)} + {added}) % 3; }}"
            for source, target, other, where, added in transitions
        )
        processes.append(f"process P{number} {{ state s0, s1; init s0; trans {told}; }}")
    declared = "".join(f"byte n{number} = {number};\n" for number in range(len(found)))
    text = declared + "\n".join(processes) + "\nsystem sync;"

    def moves(state: tuple[tuple[int, ...], tuple[int, ...]]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        places, numbers = state
        choices = [
            [
                (target, (numbers[k] + numbers[(k + 1) % len(found)] + added) % 3)
                for source, target, other, where, added in transitions
                if places[k] == source and places[other] == where
            ]
            for k, transitions in enumerate(found)
        ]
        return [(tuple(t for t, _ in chosen), tuple(n for _, n in chosen)) for chosen in product(*choices)]

    start = ((0,) * len(found), tuple(range(len(found))))
    seen, waiting, edges, stuck = {start}, [start], 0, 0
    while waiting:
        after = moves(waiting.pop())
        edges += len(after)
        stuck += not after
        waiting += set(after) - seen
        seen |= set(after)
    statistics = explore(loaded(text)).statistics
    assert (statistics.states, statistics.transitions, statistics.deadlocks) == (len(seen), edges, stuck)
