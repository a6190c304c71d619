"""What composed automata can do: moves of one primitive automaton, and of two that send and receive the same action.

A composite has the moves of its members whose labels it lets pass. Where one member can send an action to the
environment and another one can receive it from there, they can also do it together; whether a member lets such moves
pass is decided before, whether the composite does, for each of the three by its own label.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.languages.coin.read import Composite, Label, LabelKey, Name, Primitive, Text, Transition


class Share(NamedTuple):
    """What one automaton does in a move."""

    automaton: Primitive
    transition: Transition


class Move(NamedTuple):
    label: LabelKey
    shares: tuple[Share, ...]
    """One, or the sender's and then the receiver's."""


class Composition(NamedTuple):
    automata: tuple[Primitive, ...]
    """Those that the system is made of, in the order of the text."""
    moves: tuple[Move, ...]
    labels: tuple[LabelKey, ...]
    """Of the moves, each once."""


def composition(text: Text) -> Composition:
    automata: dict[str, Primitive | Composite] = {}
    for automaton in text.automata:
        if automaton.name.text in automata:
            raise InputError(f"there are two automata {automaton.name.text}", automaton.name.span)
        automata[automaton.name.text] = automaton
    _confirm_names(text, automata)
    used: dict[str, Name] = {}
    moves = tuple(_moves(text.system, automata, used))
    parts = [each for each in text.automata if isinstance(each, Primitive) and each.name.text in used]
    return Composition(tuple(parts), moves, tuple(dict.fromkeys(move.label for move in moves)))


def _moves(name: Name, automata: Mapping[str, Primitive | Composite], used: dict[str, Name]) -> Iterator[Move]:
    automaton = automata.get(name.text)
    if automaton is None:
        raise InputError(f"there is no automaton {name.text}", name.span)
    if name.text in used:
        raise InputError(f"the automaton {name.text} is part of the system twice", name.span)
    used[name.text] = name
    if isinstance(automaton, Primitive):
        for transition in automaton.transitions:
            yield Move(transition.label.key, (Share(automaton, transition),))
        return
    members = [list(_moves(member, automata, used)) for member in automaton.members]
    for moves in members:
        yield from (move for move in moves if _passes(automaton, move.label))
    for sending in members:
        for receiving in members:
            if sending is not receiving:
                yield from (move for move in _together(sending, receiving) if _passes(automaton, move.label))


def _together(sending: list[Move], receiving: list[Move]) -> Iterator[Move]:
    inputs: dict[str, list[Move]] = {}
    for move in receiving:
        if move.label[0] is None:
            inputs.setdefault(move.label[1], []).append(move)
    for move in sending:
        sender, action, receiver = move.label
        if receiver is None:
            for other in inputs.get(action, ()):
                yield Move((sender, action, other.label[2]), (*move.shares, *other.shares))


def _passes(automaton: Composite, label: LabelKey) -> bool:
    listed = any(label == each.key for each in automaton.labels)
    return automaton.kind == "all" or listed == (automaton.kind == "only")


def _confirm_names(text: Text, automata: Mapping[str, Primitive | Composite]) -> None:
    """States and components that are named are there."""
    components = {name.text for each in text.automata if isinstance(each, Primitive) for name in each.components}
    for automaton in automata.values():
        if isinstance(automaton, Primitive):
            confirm_states(automaton.states, (automaton.initial,))
            for transition in automaton.transitions:
                confirm_states(automaton.states, (transition.origin, transition.target))
                confirm_label(transition.label, components)
        else:
            for label in automaton.labels:
                confirm_label(label, components)
    if text.property:
        process = text.property
        confirm_states(process.states, (process.initial, *process.accepting))
        for step in process.steps:
            confirm_states(process.states, (step.origin, step.target))
            for label in (*step.labels, *step.enabled, *step.disabled):
                confirm_label(label, components)


def confirm_states(states: tuple[Name, ...], names: tuple[Name, ...]) -> None:
    known = [state.text for state in states]
    for place, state in enumerate(states):
        if state.text in known[:place]:
            raise InputError(f"there are two states {state.text}", state.span)
    for name in names:
        if name.text not in known:
            raise InputError(f"there is no state {name.text} here", name.span)


def confirm_label(label: Label, components: set[str]) -> None:
    for name in (label.key[0], label.key[2]):
        if name is not None and name not in components:
            raise InputError(
                f"there is no component {name}", label.span, f"components are {', '.join(sorted(components))}"
            )
