"""Networks of timed automata against the rules of the language: zones and machine code say what regions say."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, assume, given, reject, settings, strategies

from ouroboros.checking import check, explore
from ouroboros.errors import InputError
from ouroboros.languages.uppaal import UppaalModel, load
from ouroboros.source import Source
from ouroboros.system.layout import Vector
from tests.languages.uppaal.networks import Network, NetworkRegions, networks
from tests.languages.uppaal.regions import State
from tests.languages.uppaal.test_random import Explored, reached

CAMPAIGN = int(os.environ.get("OUROBOROS_CAMPAIGN", "1"))
_REFUSED = ("priority", "priorities", "violates an invariant")


def _loaded(network: Network) -> UppaalModel:
    """The model, if it is not one of those that are refused: clocks must not decide about priorities."""
    try:
        return load(Source("network.xta", network.text))
    except InputError as error:
        if any(each in error.message for each in _REFUSED):
            reject()
        raise


def _places(model: UppaalModel, states: set[Vector], network: Network) -> set[object]:
    layout = model.system.layout
    names = {each.name: each for each in layout.fields}
    fields = [names[f"P{number}"] for number in range(len(network.parts))]
    return {(tuple(layout.read(state, each) for each in fields), layout.read(state, names["v"])) for state in states}


@settings(max_examples=120 * CAMPAIGN, deadline=None, suppress_health_check=list(HealthCheck))
@given(networks())
def test_the_same_places_are_reachable(network: Network) -> None:
    model = _loaded(network)
    expected = {state.location for state in NetworkRegions(network).reachable()}
    for each in (model, model.with_equal_bounds()):
        states, _ = reached(each)
        assert _places(each, states, network) == expected


@settings(max_examples=6 * CAMPAIGN, deadline=None, suppress_health_check=list(HealthCheck))
@given(networks())
def test_machine_code_makes_the_same_steps(network: Network) -> None:
    model = _loaded(network)
    states, steps = reached(model)
    statistics = explore(model).statistics
    assert (statistics.states, statistics.transitions) == (len(states), steps)
    included = explore(model, inclusion=model.system.zone is not None).statistics
    assert included.states <= len(states)


@strategies.composite
def _questions(draw: strategies.DrawFn) -> tuple[Network, str, str]:
    network = draw(networks())
    atoms = [f"P{number}.s{place}" for number, part in enumerate(network.parts) for place in range(len(part.kinds))]
    atom = strategies.sampled_from([*atoms, "v == 1", "v < 2"])
    return network, draw(atom), draw(atom)


def _holds(atom: str, state: State) -> bool:
    places, value = state.location  # type: ignore[misc]  # here a location is a pair
    if atom.startswith("v"):
        return bool(eval(atom, {"v": value}))
    process, place = atom.split(".")
    return bool(places[int(process[1:])] == int(place[1:]))


@settings(max_examples=60 * CAMPAIGN, deadline=None, suppress_health_check=list(HealthCheck))
@given(_questions())
def test_queries_of_networks(question: tuple[Network, str, str]) -> None:
    network, one, other = question
    model = _loaded(network)
    regions = NetworkRegions(network)
    states = regions.reachable()
    start = {regions.initial}
    causes = {state for state in states if _holds(one, state)}
    for text, expected in {
        "A[] not deadlock": not any(map(regions.stuck, states)),
        f"E<> {one} and deadlock": any(map(regions.stuck, causes)),
        f"E[] {one}": regions.some_run_stays(start, lambda state: _holds(one, state)),
        f"A<> {one}": not regions.some_run_stays(start, lambda state: not _holds(one, state)),
        f"{one} --> {other}": not regions.some_run_stays(causes, lambda state: not _holds(other, state)),
    }.items():
        query = next(each for each in model.with_query(text).system.queries if each.text == text)
        found = Explored(query).found
        assert (found if query.kind in ("possibly", "possibly always") else not found) == expected, text


def _has_cycle(regions: NetworkRegions, within: set[State]) -> bool:
    """Whether infinitely many steps can be made in a row without leaving these states."""
    left = set(within)
    while True:
        lasting = {state for state in left if _acts(regions, state, left)}
        if lasting == left:
            return bool(left)
        left = lasting


def _acts(regions: NetworkRegions, state: State, within: set[State]) -> bool:
    """Whether a step is possible now or later, that stays there."""
    while state in within:
        if any(after in within for after in regions.actions(state)):
            return True
        later = regions.delay(state)
        if later is None or later == state:
            return False
        state = later
    return False


@settings(max_examples=5 * CAMPAIGN, deadline=None, suppress_health_check=list(HealthCheck))
@given(_questions())
def test_formulas_of_networks(question: tuple[Network, str, str]) -> None:
    network, one, other = question
    regions = NetworkRegions(network)
    states = regions.reachable()
    # A run that ends is one of some valuations of a zone only.
    assume(not any(map(regions.stuck, states)))
    model = _loaded(network)
    p, q = ({state for state in states if _holds(each, state)} for each in (one, other))
    start = regions.reachable_within({regions.initial} - p, states - p)
    late = regions.reachable_within(p - q, states - q)
    expected = {
        f"<> ({one})": not _has_cycle(regions, start),
        f"[] <> ({one})": not _has_cycle(regions, states - p),
        f"[] (({one}) -> <> ({other}))": not _has_cycle(regions, late),
    }
    report = check(model, ltl=list(expected))
    assert {answer.property: answer.verdict == "holds" for answer in report.answers} == expected
