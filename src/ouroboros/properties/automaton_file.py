"""Automata that users bring along in files, as they come from other tools: no run is accepted by them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ouroboros.ltl.hoa import read_hoa
from ouroboros.properties.formula import WatchedProperty
from ouroboros.properties.formulas.reading import proposition_in_place
from ouroboros.properties.formulas.watched import Watched, confirm_room
from ouroboros.properties.kind import Kind, Option, Property
from ouroboros.source import Source, Span

if TYPE_CHECKING:
    from ouroboros.languages import Model
    from ouroboros.properties.asking import Asking


class AutomatonFiles(Kind):
    makes = (WatchedProperty,)
    options = (
        Option(
            "automata",
            "--automaton",
            "FILE",
            "An automaton in the HOA format that accepts the runs that are wrong, as a never claim does. Repeatable.",
            file=True,
        ),
    )

    def read(self, asking: Asking) -> Iterator[Property]:
        for source in asking.files("automata"):
            yield WatchedProperty(_watched(asking.model, source))


def _watched(model: Model, source: Source) -> Watched:
    read = read_hoa(source)
    automaton = read.automaton
    confirm_room(len(automaton.atoms), "the automaton has", "atomic propositions", None)
    return Watched(
        read.name or Path(source.name).name,
        automaton,
        tuple(
            proposition_in_place(model, atom, Span(source, place.start + 1, place.end - 1))
            for atom, place in zip(automaton.atoms, read.places, strict=True)
        ),
        tuple(map(str, range(automaton.states))),
    )
