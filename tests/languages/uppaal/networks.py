"""Random networks of timed automata, and what they do by the rules of the language, with no zones and no lowering."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple, Protocol, Self, TypeAlias

from hypothesis import strategies

from tests.languages.uppaal.regions import MOST, Constraint, Region, Regions, State

VALUES = 3
"""Of the variable."""
HANDSHAKES, BROADCASTS = ("a", "u", "c[v % 2]", "c[0]", "c[1]"), ("b", "w")
URGENT = ("u", "w")

Locations: TypeAlias = tuple[int, ...]


class Clocks(Protocol):
    """Values of clocks, or a set of values that nothing tells apart."""

    def holds(self, constraint: Constraint) -> bool: ...

    def reset(self, resets: tuple[tuple[int, int], ...]) -> Self: ...


class Way(NamedTuple):
    """An edge."""

    source: int
    target: int
    clocks: tuple[Constraint, ...]
    test: str
    """Of the variable; empty, or a comparison that Python reads as well."""
    channel: str
    sends: bool
    updates: tuple[str, ...]

    @property
    def text(self) -> str:
        guard = " && ".join([*map(str, self.clocks), *([self.test] if self.test else [])])
        labels = [f"guard {guard};"] if guard else []
        labels += [f"sync {self.channel}{'!' if self.sends else '?'};"] if self.channel else []
        labels += [f"assign {', '.join(self.updates)};"] if self.updates else []
        return f"s{self.source} -> s{self.target} {{ {' '.join(labels)} }}"


class Part(NamedTuple):
    """A process."""

    kinds: tuple[str, ...]
    """Of each location: `urgent`, `commit` or nothing."""
    invariants: tuple[Constraint | str, ...]
    ways: tuple[Way, ...]

    def text(self, name: str) -> str:
        states = ", ".join(
            f"s{number}" + (f" {{ {invariant} }}" if invariant else "")
            for number, invariant in enumerate(self.invariants)
        )
        marks = "".join(
            f" {kind} {', '.join(f's{number}' for number, each in enumerate(self.kinds) if each == kind)};"
            for kind in ("commit", "urgent")
            if kind in self.kinds
        )
        trans = f" trans {', '.join(way.text for way in self.ways)};" if self.ways else ""
        return f"process {name}() {{ state {states};{marks} init s0;{trans} }}"


class Step(NamedTuple):
    channel: str
    """With the number that the state gives it."""
    ways: tuple[tuple[int, Way], ...]


class Network(NamedTuple):
    clocks: int
    parts: tuple[Part, ...]
    levels: tuple[str, ...]
    """Of channels, those of lower priority first; `default` is among them. Or nothing."""
    ordered: bool
    """Whether each process has a higher priority than those before it."""

    @property
    def text(self) -> str:
        names = [f"P{number}" for number in range(len(self.parts))]
        lines = [
            f"clock {', '.join(f'x{clock}' for clock in range(self.clocks))};",
            f"chan a, c[2]; urgent chan u; broadcast chan b; urgent broadcast chan w; int[0,{VALUES - 1}] v;",
            *([f"chan priority {' < '.join(self.levels)};"] if self.levels else []),
            *(part.text(name) for name, part in zip(names, self.parts, strict=True)),
            f"system {(' < ' if self.ordered else ', ').join(names)};",
        ]
        return "\n".join(lines)

    def enabled(self, places: Locations, value: int, clocks: Clocks | None) -> Iterator[Step]:
        """All steps whose guards hold; without clocks, those that the state alone allows."""
        ready = [
            (number, way)
            for number, part in enumerate(self.parts)
            for way in part.ways
            if way.source == places[number]
            and (not way.test or eval(way.test, {"v": value}))
            and (clocks is None or all(map(clocks.holds, way.clocks)))
        ]
        committed = {number for number, part in enumerate(self.parts) if part.kinds[places[number]] == "commit"}
        for step in self._combined(ready, value):
            if not committed or any(number in committed for number, _ in step.ways):
                yield step

    def _combined(self, ready: list[tuple[int, Way]], value: int) -> Iterator[Step]:
        for number, way in ready:
            channel = way.channel.replace("v % 2", str(value % 2))
            answers = [
                (other, each)
                for other, each in ready
                if other != number and not each.sends and each.channel.replace("v % 2", str(value % 2)) == channel
            ]
            if not channel:
                yield Step("", ((number, way),))
            elif way.sends and way.channel in BROADCASTS:
                listeners = sorted({other for other, _ in answers})
                each = [[answer for answer in answers if answer[0] == listener] for listener in listeners]
                for receivers in product(*each):
                    yield Step(channel, ((number, way), *receivers))
            elif way.sends:
                for answer in answers:
                    yield Step(channel, ((number, way), answer))

    def hurries(self, places: Locations, value: int) -> bool:
        if any(part.kinds[place] for part, place in zip(self.parts, places, strict=True)):
            return True
        return any(step.channel in URGENT for step in self.enabled(places, value, None))

    def made(self, step: Step, places: Locations, value: int, clocks: Clocks) -> tuple[Locations, int, Clocks] | None:
        """What a step leads to; None where an invariant does not hold then."""
        after = list(places)
        for number, way in step.ways:
            for update in way.updates:
                name, _, expression = update.partition(" = ")
                result = eval(expression, {"v": value})
                if name == "v":
                    value = result
                else:
                    clocks = clocks.reset(((int(name.removeprefix("x")), result),))
            after[number] = way.target
        found = tuple(after)
        return (found, value, clocks) if self.allows(found, value, clocks) else None

    def allows(self, places: Locations, value: int, clocks: Clocks) -> bool:
        for part, place in zip(self.parts, places, strict=True):
            invariant = part.invariants[place]
            if isinstance(invariant, Constraint):
                if not clocks.holds(invariant):
                    return False
            elif invariant and not eval(invariant, {"v": value}):
                return False
        return True

    def steps(self, places: Locations, value: int, clocks: Clocks) -> list[tuple[Locations, int, Clocks]]:
        """What is possible at this moment: what has the highest priority."""
        found = [
            (self._rank(step), after)
            for step in self.enabled(places, value, clocks)
            if (after := self.made(step, places, value, clocks)) is not None
        ]
        highest = max((rank for rank, _ in found), default=None)
        return [after for rank, after in found if rank == highest]

    def _rank(self, step: Step) -> tuple[int, int]:
        names = (step.channel, step.channel.partition("[")[0], "default")
        level = next((self.levels.index(name) for name in names if name in self.levels), 0)
        return level, max(number for number, _ in step.ways) if self.ordered else 0


class NetworkRegions(Regions):
    """The region graph of a network: the location of a state is those of all processes, and the variable."""

    def __init__(self, network: Network) -> None:
        self.network = network
        zeros = (0,) * network.clocks
        self.initial = State(((0,) * len(network.parts), 0), Region(zeros, zeros))  # type: ignore[arg-type]  # here a location is a pair

    def actions(self, state: State) -> Iterator[State]:
        places, value = state.location  # type: ignore[misc]  # here a location is a pair
        for after, result, clocks in self.network.steps(places, value, state.region):
            assert isinstance(clocks, Region)
            yield State((after, result), clocks)  # type: ignore[arg-type]  # here a location is a pair

    def delay(self, state: State) -> State | None:
        places, value = state.location  # type: ignore[misc]  # here a location is a pair
        later = state.region.later()
        if self.network.hurries(places, value) or not self.network.allows(places, value, later):
            return None
        return State(state.location, later)


@strategies.composite
def networks(draw: strategies.DrawFn) -> Network:
    clocks = draw(strategies.integers(1, 2))
    clock, bound = strategies.integers(0, clocks - 1), strategies.integers(0, MOST)
    compared = strategies.builds(Constraint, clock, strategies.sampled_from(["<", "<=", ">", ">=", "=="]), bound)
    above = strategies.builds(Constraint, clock, strategies.sampled_from(["<=", "<"]), strategies.integers(1, MOST))
    test = strategies.sampled_from(["", "", "", "v == 1", "v < 2", "v != 0", "v >= 1"])
    update = strategies.sampled_from(["v = 1", "v = (v + 1) % 3", "v = 2 * v % 3", "v = 2 - v"]) | strategies.builds(
        "x{} = {}".format, clock, strategies.sampled_from(["0", "1", "v", "2 - v"])
    )
    used = draw(strategies.lists(strategies.sampled_from((*HANDSHAKES, *BROADCASTS)), min_size=1, max_size=3))
    levels = draw(strategies.sampled_from([(), (), ("default", "a"), ("b", "default", "c"), ("a", "default", "w")]))
    parts = []
    for _ in range(draw(strategies.integers(2, 3))):
        count = draw(strategies.integers(1, 3))
        kinds = tuple(draw(strategies.sampled_from(["", "", "", "", "urgent", "commit"])) for _ in range(count))
        invariants = tuple(draw(strategies.sampled_from(["", "", "", "v < 2", "v != 1"]) | above) for _ in range(count))
        ways = []
        for _ in range(draw(strategies.integers(1, 4))):
            channel, sends = draw(strategies.sampled_from(["", *used, *used])), draw(strategies.booleans())
            asks = () if channel in URGENT else tuple(draw(strategies.lists(compared, max_size=1)))
            ways.append(
                Way(
                    draw(strategies.integers(0, count - 1)),
                    draw(strategies.integers(0, count - 1)),
                    asks,
                    draw(test),
                    channel,
                    sends,
                    tuple(draw(strategies.lists(update, max_size=2))),
                )
            )
        parts.append(Part(kinds, invariants, tuple(ways)))
    return Network(clocks, tuple(parts), levels, draw(strategies.sampled_from([False, False, True])))
