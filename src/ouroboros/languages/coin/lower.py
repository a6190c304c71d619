"""Composed automata to a System: each primitive automaton has its state in a field, each move is an action.

A property automaton goes along with actions, not with states: it is one more field, and each of its steps is made
together with a move whose label it allows. What it accepts is looked for in a system of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ouroboros.languages.coin.moves import Composition, Move, Share
from ouroboros.languages.coin.read import LabelKey, Name, PropertyProcess, PropertyStep
from ouroboros.source import Source
from ouroboros.system.blocks import Assign, Block, If
from ouroboros.system.choices import Action, All, Choice, Do, Part, Switch
from ouroboros.system.expressions import TRUE, Constant, Expression, Unary, conjunction, disjunction, equal
from ouroboros.system.layout import Field, Layout, bits_for
from ouroboros.system.model import Proposition, Query, System


class _Made(NamedTuple):
    """An action, and where the automaton has to be that begins it."""

    action: Action
    owner: str
    origin: int


class _Turn(NamedTuple):
    """When the property automaton may go where."""

    condition: Expression
    target: int


class Lowering:
    def __init__(self, source: Source, composed: Composition, watches: bool) -> None:
        """`watches`: whether states tell which action has led to them."""
        self.source, self.composed = source, composed
        self.numbers = {label: number for number, label in enumerate(composed.labels, 1)}
        self.fields = {
            automaton.name.text: _location(automaton.name.text, automaton.states, automaton.initial)
            for automaton in composed.automata
        }
        self.done: Field | None = None
        if watches:
            names = ("nothing", *map(told, composed.labels))
            self.done = Field("done", "done", bits_for(len(names)), value_names=names)

    def system(self, process: PropertyProcess | None) -> System:
        made = [self._made(move) for move in self.composed.moves]
        return self._system(made, self._queries(process))

    def _system(self, made: Sequence[_Made], queries: tuple[Query, ...], *more: Field) -> System:
        layout = Layout((*self.fields.values(), *([self.done] if self.done else []), *more))
        return System(
            name=Path(self.source.name).stem,
            language="coin",
            source=self.source,
            layout=layout,
            initial=(layout.initial(),),
            actions=tuple(each.action for each in made),
            choices=self._choices(made),
            queries=queries,
            processes=tuple(self.fields),
            extends_finite_runs=True,
        )

    def _choices(self, made: Sequence[_Made]) -> Choice:
        """By the automaton that a move begins with, and by its state."""
        found: dict[str, dict[int, list[Choice]]] = {name: {} for name in self.fields}
        for number, each in enumerate(made):
            found[each.owner].setdefault(each.origin, []).append(Do(number))
        return All(
            tuple(
                Switch(self.fields[name], tuple((origin, All(tuple(done))) for origin, done in sorted(cases.items())))
                for name, cases in found.items()
                if cases
            )
        )

    def _made(self, move: Move, guard: Expression = TRUE, effect: Block = ()) -> _Made:
        assigned = [
            Assign(self._field(share), None, Constant(_number(share, share.transition.target))) for share in move.shares
        ]
        if self.done:
            assigned.append(Assign(self.done, None, Constant(self.numbers[move.label])))
        action = Action(
            tuple(Part(share.automaton.name.text, told(move.label), share.transition.span) for share in move.shares),
            # What else is done asks where automata are before the move.
            (*effect, *assigned),
            conjunction(self._guard(move), guard),
        )
        first = move.shares[0]
        return _Made(action, first.automaton.name.text, _number(first, first.transition.origin))

    def _guard(self, move: Move) -> Expression:
        return conjunction(
            *(equal(self._field(share), _number(share, share.transition.origin)) for share in move.shares)
        )

    def _field(self, share: Share) -> Field:
        return self.fields[share.automaton.name.text]

    def enabled(self, label: LabelKey) -> Expression:
        return disjunction(*(self._guard(move) for move in self.composed.moves if move.label == label))

    def _queries(self, process: PropertyProcess | None) -> tuple[Query, ...]:
        if process is None:
            return ()
        field = _location("property", process.states, process.initial)
        numbers = {state.text: number for number, state in enumerate(process.states)}
        accepting = disjunction(*(equal(field, numbers[state.text]) for state in process.accepting))

        def product() -> System:
            return self._system(list(self._with_property(process, field, numbers)), (), field)

        return (
            Query(
                "property",
                "the property automaton accepts no run",
                "never for ever",
                product,
                lambda: (Proposition("accept", accepting),),
                process.span,
            ),
        )

    def _with_property(self, process: PropertyProcess, field: Field, numbers: dict[str, int]) -> Iterator[_Made]:
        """The n-th of all that the property may do from each of its states together with a move, as one action."""
        for move in self.composed.moves:
            choices: list[list[_Turn]] = []
            of_origin: Counter[str] = Counter()
            for step in process.steps:
                if (move.label in {label.key for label in step.labels}) != step.others:
                    number = of_origin[step.origin.text]
                    of_origin[step.origin.text] += 1
                    choices += [[]] * (number == len(choices))
                    choices[number] = [*choices[number], self._turn(step, field, numbers)]
            for turns in choices:
                effect: Block = ()
                for turn in reversed(turns):
                    effect = (If(turn.condition, (Assign(field, None, Constant(turn.target)),), effect),)
                yield self._made(move, disjunction(*(turn.condition for turn in turns)), effect)

    def _turn(self, step: PropertyStep, field: Field, numbers: dict[str, int]) -> _Turn:
        condition = conjunction(
            equal(field, numbers[step.origin.text]),
            *(self.enabled(label.key) for label in step.enabled),
            *(Unary("not", self.enabled(label.key)) for label in step.disabled),
        )
        return _Turn(condition, numbers[step.target.text])


def told(label: LabelKey) -> str:
    return f"({', '.join(each or '-' for each in label)})"


def _number(share: Share, name: Name) -> int:
    return [state.text for state in share.automaton.states].index(name.text)


def _location(name: str, states: tuple[Name, ...], initial: Name) -> Field:
    names = tuple(state.text for state in states)
    return Field(name, name, bits_for(len(names)), initial=(names.index(initial.text),), value_names=names)
