"""The examples do what their headers say, on one worker, on several and on MPI ranks.

`ouroboros.expectations.header` reads what to ask and what to expect; the comparison is made here once more, with the
report as JSON. The numbers do not come from the engine alone. The first DVE models are written a second time below, by
hand and in Python, and counted by a plain breadth-first search; `robots.dve` and `hanoi.m` are counted by a formula.
Spin counts all DVE and Promela models, rumur those in Murphi: see `tests/peers`. The reference interpreter counts the
small ones once more.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import pytest

from ouroboros.examples import all_examples
from ouroboros.expectations.header import Expected, Header, read_header
from ouroboros.languages import LANGUAGES, is_model, load
from ouroboros.source import Source
from ouroboros.system.interpret import successors
from tests.cli.helpers import Ran, ouro, said
from tests.cli.test_verdicts import EXIT_CODES, SCHEMA
from tests.ranks import run_ranks

EXAMPLES = Path(__file__).parents[1] / "examples" / "dve"
PATHS = sorted(EXAMPLES.glob("*.dve"))
ALL = [example.path for example in all_examples()]


class Expectation(NamedTuple):
    path: Path
    options: list[str]
    expected: Expected

    def __str__(self) -> str:
        return f"{self.path.stem} {' '.join(self.options)}".strip()


def header(path: Path) -> Header:
    return read_header(Source(path.name, path.read_text()))


def expectations(path: Path) -> Iterator[Expectation]:
    for check in header(path).checks:
        words = [str(path.with_name(word)) if word.endswith(".ltl") else word for word in check.options]
        for expected in check.expected:
            yield Expectation(path, words, expected)


def numbers(path: Path) -> dict[str, int]:
    return next(count.numbers for count in header(path).counts if not count.options)


EXPECTATIONS = [expectation for path in ALL for expectation in expectations(path)]
IN_DVE = [expectation for expectation in EXPECTATIONS if expectation.path.suffix == ".dve"]


def confirm(ran: Ran, expectation: Expectation) -> None:
    expected = expectation.expected
    assert ran.err == ""
    data = ran.data
    jsonschema.validate(data, SCHEMA)
    assert (data["verdict"], ran.code) == (expected.verdict, EXIT_CODES[expected.verdict])
    if expected.property:
        assert data["property"] == expected.property
    if expected.states is not None:
        assert data["states"] == expected.states
    if expected.steps is not None:
        assert data["trace"]["#meta"]["steps"] == expected.steps
    if expected.verdict == "violated":
        assert ("loop" in data["trace"]) == expected.cycle
        assert (expected.reason or "") in data["reason"]


def test_every_example_says_what_to_expect() -> None:
    assert len(ALL) >= 40
    assert len({path.name for path in ALL}) == len(ALL)
    for path in ALL:
        found = header(path)
        assert found.checks, path.name
        assert found.topic, path.name
        assert len(found.lesson) > 80, path.name
        assert {"states", "transitions", "deadlocks"} <= numbers(path).keys(), path.name
        assert numbers(path)["states"] < 100_000 or path.stem == "robots"
    assert {path.parent.name for path in ALL} == set(LANGUAGES)
    there = {path for path in EXAMPLES.parent.rglob("*.*") if is_model(path)}
    # What generates states is no model by itself: see tests/languages/modules.
    there = {path for path in there if path.parent.name in LANGUAGES}
    assert {(path.parent.name, path.name) for path in there} == {(path.parent.name, path.name) for path in ALL}


@pytest.mark.parametrize("expected", EXPECTATIONS, ids=str)
def test_verdicts(expected: Expectation) -> None:
    confirm(ouro("check", expected.path, *expected.options, "--json", "-"), expected)


@pytest.mark.parametrize("expected", IN_DVE, ids=str)
def test_verdicts_of_two_workers(expected: Expectation) -> None:
    confirm(ouro("check", expected.path, *expected.options, "--workers", 2, "--json", "-"), expected)


@pytest.mark.parametrize("algorithm", ["ndfs", "owcty", "map"])
@pytest.mark.parametrize(
    "expected", [item for item in IN_DVE if "--ltl" in item.options and "--fairness" not in item.options], ids=str
)
def test_every_algorithm(expected: Expectation, algorithm: str) -> None:
    ran = ouro("check", expected.path, *expected.options, "--algorithm", algorithm, "--json", "-")
    confirm(ran, expected)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_counts(path: Path) -> None:
    for count in header(path).counts:
        ran = ouro("states", path, *count.options, "--json", "-")
        assert ran.code == 0
        assert {name: ran.data[name] for name in count.numbers} == count.numbers


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_counts_of_two_workers(path: Path) -> None:
    ran = ouro("states", path, "--workers", 2, "--json", "-")
    assert {name: ran.data[name] for name in numbers(path)} == numbers(path)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_product_with_an_automaton(workers: int) -> None:
    data = ouro(
        "check", EXAMPLES / "ticket_lock.dve", "--property", "starves", "--workers", workers, "--json", "-"
    ).data
    assert data["states"] == product_states()


def product_states() -> int:
    """Of ticket_lock.dve, as its header says."""
    (states,) = (each.expected.states for each in expectations(EXAMPLES / "ticket_lock.dve") if each.expected.states)
    return states


@pytest.mark.parametrize("expected", [e for e in IN_DVE if e.path.stem in ("philosophers", "commit")], ids=str)
def test_ranks(expected: Expectation) -> None:
    ran = run_ranks(2, "-m", "ouroboros", "check", str(expected.path), *expected.options, "--json", "-")
    confirm(Ran(ran.returncode, ran.stdout, said(ran.stderr)), expected)


# The models once more, by hand.

State = tuple[Any, ...]
Successors = Callable[[State], Iterator[State]]


class Graph(NamedTuple):
    states: int
    transitions: int
    deadlocks: int


def breadth_first(initial: State, following: Callable[[Any], Iterator[Hashable]]) -> Graph:
    found: dict[Hashable, None] = {initial: None}
    queue: list[Hashable] = [initial]
    transitions = deadlocks = 0
    for state in queue:
        targets = list(following(state))
        transitions += len(targets)
        deadlocks += not targets
        for target in targets:
            if target not in found:
                found[target] = None
                queue.append(target)
    return Graph(len(found), transitions, deadlocks)


def put(items: tuple[Any, ...], *changes: Any) -> tuple[Any, ...]:
    """A copy with other values at some places: `put(items, place, value, place, value, …)`."""
    copy = list(items)
    for place, value in zip(changes[::2], changes[1::2], strict=True):
        copy[place] = value
    return tuple(copy)


def table(orders: list[tuple[int, int]]) -> tuple[State, Successors]:
    """Philosophers who take their forks in the given order, and put them down in the opposite one."""

    def following(state: State) -> Iterator[State]:
        places, forks = state
        for who, (first, second) in enumerate(orders):
            place = places[who]
            fork, wanted = ((first, 0), (second, 0), (second, 1), (first, 1))[place]
            if forks[fork] == wanted:
                yield put(places, who, (place + 1) % 4), put(forks, fork, 1 - wanted)

    return ((0,) * 5, (0,) * 5), following


def philosophers() -> tuple[State, Successors]:
    return table([(who, (who + 1) % 5) for who in range(5)])


def philosophers_fixed() -> tuple[State, Successors]:
    return table([(min(who, (who + 1) % 5), max(who, (who + 1) % 5)) for who in range(5)])


def bakery() -> tuple[State, Successors]:
    def following(state: State) -> Iterator[State]:
        bakers, batches, belt, last, expected, checking = state
        for who in range(2):
            if not bakers[who]:
                yield put(bakers, who, True), batches, belt, last, expected, checking
            elif len(belt) < 3:
                put_on = (*belt, (who, batches[who]))
                yield (
                    put(bakers, who, False),
                    put(batches, who, (batches[who] + 1) % 3),
                    put_on,
                    last,
                    expected,
                    checking,
                )
        if checking:
            who, batch = last
            assert expected[who] == batch
            yield bakers, batches, belt, last, put(expected, who, (batch + 1) % 3), False
        elif belt:
            yield bakers, batches, belt[1:], belt[0], expected, True

    return ((False, False), (0, 0), (), (0, 0), (0, 0), False), following


def readers_writers() -> tuple[State, Successors]:
    # How many hold the lock follows from who does.
    def following(state: State) -> Iterator[State]:
        readers, writers = state[:2].count("in"), state[2:].count("in")
        for who, place in enumerate(state):
            free = writers == 0 and (who < 2 or readers == 0)
            if place != "idle" or free:
                yield put(state, who, {"idle": "admitted", "admitted": "in", "in": "idle"}[place])

    return ("idle",) * 4, following


def commit() -> tuple[State, Successors]:
    # Of the votes and the outcome the coordinator's place and the participants' tell everything but for the moment
    # between a vote and its count, which has no choice, and so is a state of its own.
    def following(state: State) -> Iterator[State]:
        telling, counting, answer, yes, votes, people = state
        told = [who for who in range(3) if people[who].startswith("told")]
        if counting:
            if votes < 3:
                yield telling, False, 0, yes, votes, people
            else:
                yield 0, False, int(yes == 3), 0, 0, people
            return
        if told:
            (who,) = told
            yield telling, False, answer, yes, votes, put(people, who, people[who].removeprefix("told "))
            return
        for who, place in enumerate(people):
            if place in ("committed", "aborted"):
                yield telling, False, answer, yes, votes, put(people, who, "working")
            elif place == "working" and telling is None:
                for ballot, then in ((1, "ready"), (0, "refused")):
                    yield None, True, ballot, yes + ballot, votes + 1, put(people, who, then)
            elif place in ("ready", "refused") and telling == who:
                news = "told committed" if answer else "told aborted"
                last = who == 2
                yield None if last else who + 1, False, 0 if last else answer, yes, votes, put(people, who, news)

    return (None, False, 0, 0, 0, ("working",) * 3), following


def election() -> tuple[State, Successors]:
    def following(state: State) -> Iterator[State]:
        places, seen, links = state
        for who, place in enumerate(places):
            before, me = (who - 1) % 4, who + 1

            def receive(then: str, who: int = who, before: int = before) -> Iterator[State]:
                if links[before]:
                    rest = put(links, before, links[before][1:])
                    yield put(places, who, then), put(seen, who, links[before][0]), rest

            def send(number: int, then: str, who: int = who) -> Iterator[State]:
                if len(links[who]) < 2:
                    more = put(links, who, (*links[who], number))
                    yield put(places, who, then), put(seen, who, 0), more

            if place == "asleep":
                yield from send(me, "candidate")
            if place in ("asleep", "lost"):
                yield from receive("passing")
            if place == "candidate":
                yield from receive("comparing")
            if place == "comparing":
                then = "candidate" if seen[who] < me else "leader" if seen[who] == me else "passing"
                yield put(places, who, then), seen if then == "passing" else put(seen, who, 0), links
            if place == "passing":
                yield from send(seen[who], "lost")
            if place == "leader":
                yield state

    return (("asleep",) * 4, (0,) * 4, ((),) * 4), following


def spin_lock() -> tuple[State, Successors]:
    def following(state: State) -> Iterator[State]:
        for who, place in enumerate(state):
            if place != "waiting" or "inside" not in state:
                yield put(state, who, {"idle": "waiting", "waiting": "inside", "inside": "idle"}[place])

    return ("idle", "idle"), following


def ticket_lock() -> tuple[State, Successors]:
    def following(state: State) -> Iterator[State]:
        places, tickets, drawn, serving = state
        for who, place in enumerate(places):
            if place == "idle":
                yield put(places, who, "waiting"), put(tickets, who, drawn), (drawn + 1) % 2, serving
            elif place == "waiting" and tickets[who] == serving:
                yield put(places, who, "inside"), tickets, drawn, serving
            elif place == "inside":
                yield put(places, who, "idle"), put(tickets, who, 0), drawn, (serving + 1) % 2

    return (("idle", "idle"), (0, 0), 0, 0), following


BY_HAND = {
    made.__name__: made
    for made in (
        philosophers,
        philosophers_fixed,
        bakery,
        readers_writers,
        commit,
        election,
        spin_lock,
        ticket_lock,
    )
}


@pytest.mark.parametrize("name", BY_HAND)
def test_the_numbers_are_right(name: str) -> None:
    assert breadth_first(*BY_HAND[name]())._asdict() == numbers(EXAMPLES / f"{name}.dve")


def test_the_numbers_of_the_robots_are_right() -> None:
    assert numbers(EXAMPLES / "robots.dve") == {
        "states": 36 * 35 * 34 * 33,
        "transitions": 4 * 120 * 34 * 33 * 32,
        "deadlocks": 0,
    }


def test_the_numbers_of_the_towers_are_right() -> None:
    path = EXAMPLES.parent / "murphi" / "hanoi.m"
    assert numbers(path) == {"states": 3**5, "transitions": 3 * (3**5 - 1), "deadlocks": 0}
    assert [each.expected.steps for each in expectations(path)] == [2**5 - 1, 2**6 - 1]


def test_the_number_of_the_product_is_right() -> None:
    """The automaton reads the state that a step leaves, and moves with the step."""
    initial, following = ticket_lock()

    def both(state: State) -> Iterator[State]:
        system, location = state
        slow_waits = system[0][1] == "waiting"
        targets = (["watching"] if location == "watching" else []) + (["waiting"] if slow_waits else [])
        for target in targets:
            for successor in following(system):
                yield successor, target

    assert breadth_first((initial, "watching"), both).states == product_states()


@pytest.mark.parametrize("path", [path for path in PATHS if path.stem != "robots"], ids=lambda path: path.stem)
def test_the_interpreter_agrees(path: Path) -> None:
    system = load(path).system

    def following(state: Any) -> Iterator[Hashable]:
        for step in successors(system, state):
            assert step.state is not None
            yield step.state

    (initial,) = system.initial
    assert breadth_first(initial, following)._asdict() == numbers(path)


def test_the_page_lists_them_all() -> None:
    page = (EXAMPLES.parents[1] / "docs" / "examples.md").read_text()
    for example in all_examples():
        states = numbers(example.path)["states"]
        row = f"| `{example.name}` | {example.language} | {states:,} | {example.header.summary} |"
        assert row in page, row
