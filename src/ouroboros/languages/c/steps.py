"""The steps of a program, for everything that explores: by its machine code, and by the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ouroboros.languages.c.description import Description
from ouroboros.languages.c.machine.compile import Machine
from ouroboros.languages.c.machine.observer import FIRST_POSITION, Observer
from ouroboros.languages.c.machine.stepping import DROPPED_SITE
from ouroboros.languages.c.positions import Position
from ouroboros.languages.c.reference.failure import Site
from ouroboros.languages.c.reference.interpreter import Reference
from ouroboros.languages.c.reference.state import Outcome
from ouroboros.languages.c.requests import RACE, RACES, Races
from ouroboros.languages.c.vectors import TooLarge, Vectors
from ouroboros.system import foreign
from ouroboros.system.foreign import Passing
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Vector

_MOST_KEPT = 1000


class Steps:
    """What a system of a program has instead of a choice tree."""

    def __init__(self, machine: Machine, description: Description, asked: frozenset[str] = frozenset()) -> None:
        """`asked` are the names of the properties on request that are looked for."""
        self._machine, self._description = machine, description
        self.vectors = Vectors(machine.layout)
        layout = machine.layout
        self.reference = Reference(layout.program, layout.room.threads, leaks=layout.leaks)
        self.races = Races(machine, description, self.reference, self.vectors)
        self.asked = asked
        self._positions: list[Position] = []
        self._told: dict[Vector, Mapping[str, int | str]] = {}
        """Of the states that were looked at last."""
        self._sites: dict[tuple[int, str, str, int], int] = {}
        for number, failure in enumerate(machine.failures):
            self._sites.setdefault((failure.kind, failure.function, failure.label, failure.number), number)

    @property
    def most_successors(self) -> int:
        return self._machine.most_successors

    def machine(self) -> foreign.Machine:
        race = self._machine.race if RACES in self.asked else 0
        observer = Observer(self._machine.layout, race, self._positions)
        return foreign.Machine(self._machine.successors, observer.address, (self._machine, observer))

    def steps(self, state: Vector) -> Sequence[Step]:
        if state == self._machine.begin:
            return [self._step(state, self.reference.initial())]
        return [self._step(state, outcome) for outcome in self.reference.successors(self.vectors.decode(state))]

    def _step(self, state: Vector, outcome: Outcome) -> Step:
        layout = self._machine.layout
        action = layout.label(outcome.slot, state[layout.thread_word(outcome.slot)])
        parts = (self._description.part(state, outcome.slot),)
        if outcome.kind == "omitted":
            nobody = layout.label(layout.room.threads, state[layout.thread_word(outcome.slot)])
            return Step(nobody, None, DROPPED_SITE, parts=parts)
        if outcome.kind == "dropped":
            return Step(action, None, DROPPED_SITE, parts=parts)
        if outcome.failure is not None:
            kind, _, site = outcome.failure
            if kind in layout.given_up:
                return Step(layout.first_given_up + self._site(kind, site), None, DROPPED_SITE, parts=parts)
            return Step(action, None, self._site(kind, site), printed=outcome.output, parts=parts)
        assert outcome.state is not None
        try:
            return Step(action, self.vectors.encode(outcome.state), printed=outcome.output, parts=parts)
        except TooLarge as missing:
            if missing.kind in layout.given_up:
                left_out = layout.first_given_up + self._sites[missing.kind, "", "", 0]
                return Step(left_out, None, DROPPED_SITE, parts=parts)
            return Step(action, None, self._sites[missing.kind, "", "", 0], parts=parts)

    def _site(self, kind: int, site: Site) -> int:
        """The number of a failure; what the machine code has no place for is one of no place."""
        for number in (site.number, site.number - 1):
            found = self._sites.get((kind, site.function, site.label, number))
            if found is not None:
                return found
        return self._sites[kind, "", "", 0]

    def observe(self, state: Vector) -> int:
        found = int(RACES in self.asked and self.races.in_state(state) is not None) << RACE
        if state == self._machine.begin:
            return found
        threads = self.vectors.decode(state).threads if self._positions else ()
        for number, position in enumerate(self._positions):
            sites = [[self.vectors.site(each.site) for each in thread.frames] if thread else [] for thread in threads]
            there = any(
                not position.sites.isdisjoint(sites[slot])
                and (position.roots is None or sites[slot][0] in position.roots)
                for slot in position.slots
            )
            found |= there << FIRST_POSITION + number
        return found

    def watch(self, position: Position) -> int:
        """The number by which a position is observed from now on."""
        if position not in self._positions:
            self._positions.append(position)
        return FIRST_POSITION + self._positions.index(position)

    def remarks(self) -> Sequence[str]:
        found = None if RACES in self.asked else self.races.met()
        if found is None:
            return ()
        return (f"{found}; C says nothing of what such a program does (`--property {RACES}` looks for all)",)

    def shown(self, state: Vector) -> Mapping[str, int | str]:
        told = self._told.get(state)
        if told is None:
            if len(self._told) >= _MOST_KEPT:
                self._told.clear()
            told = self._told[state] = {**self._description.shown(state), **self._waiting(state)}
        return told

    def _waiting(self, state: Vector) -> dict[str, str]:
        """What threads wait for."""
        if state == self._machine.begin:
            return {}
        whole = self.vectors.decode(state)
        told: dict[str, str] = {}
        for slot, thread in enumerate(whole.threads):
            reason = self.reference.waits_for(whole, slot) if thread is not None else None
            if reason is not None:
                name = self._description.thread(state, slot)
                told[Passing(f"{name} waits for")] = self._description.waits(state, slot, reason)
        return told
