"""Who moves: which steps compete in which state.

* Processes interleave. While one is inside of an atomic sequence, only it moves; if it blocks, it gives up control,
  and takes it again with its next step.
* An escape of `unless` comes before what it escapes from, `else` after all other options, `timeout` after all else in
  the whole system. To be ready to receive in a rendezvous is no reason against an `else`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ouroboros.languages.promela.flow.elements import Element
from ouroboros.languages.promela.flow.flow import Group, Step, steps_at
from ouroboros.languages.promela.lower.actions import Actions
from ouroboros.languages.promela.lower.d_steps import first_receives
from ouroboros.languages.promela.lower.fields import Instance
from ouroboros.languages.promela.read import ast, terms
from ouroboros.languages.promela.read.trees import bodies, nodes
from ouroboros.system.choices import All, Choice, Do, First, Switch, When
from ouroboros.system.expressions import (
    FALSE,
    TRUE,
    Binary,
    Expression,
    Read,
    Unary,
    conjunction,
    disjunction,
    equal,
    is_constant,
)


class Choices:
    """The choice tree of a model over some of its actions."""

    def __init__(self, model: ast.Model, actions: Actions) -> None:
        self.model = model
        self.actions = actions
        self.ground = actions.ground
        self.fields = actions.ground.fields

    def all(self) -> Choice:
        """What can be done."""
        moves = [(each, self.moves(each, each.flow.at, False)) for each in self.instances()]
        free = self._free(moves)
        control = self.ground.control
        return Switch(control, ((0, free), *self._held(moves))) if control else free

    def _free(self, moves: list[tuple[Instance, Choice]]) -> Choice:
        """What can be done while no process has control for itself."""
        free = self._by_priority(moves)
        waiting = [
            (instance, [place for place in instance.flow.at if _mentions_timeout(instance, place)])
            for instance in self.instances()
        ]
        timeouts = [(instance, self.moves(instance, places, True)) for instance, places in waiting if places]
        if timeouts:
            free = First((free, self._by_priority(timeouts)))
        return free

    def _held(self, moves: list[tuple[Instance, Choice]]) -> list[tuple[int, Choice]]:
        """What can be done by a process that has control: it loses that to one of a higher priority, too."""
        cases: list[tuple[int, Choice]] = []
        for pid, instances in self.fields.by_pid().items():
            held: list[Choice] = []
            for instance in instances:
                if places := held_places(instance):
                    choice = self.moves(instance, places, False)
                    prioritised = self.fields.prioritised
                    held.append(When(self._is_highest(instance, moves), choice) if prioritised else choice)
            if held:
                cases.append((pid + 1, First((All(tuple(held)), Do(self.actions.release(instances[0]))))))
        return cases

    def _by_priority(self, moves: list[tuple[Instance, Choice]]) -> Choice:
        """Only those move that have the highest priority of all that can."""
        if not self.fields.prioritised:
            return All(tuple(choice for _, choice in moves))
        levels = _priorities(self.model)
        if levels is None:
            return All(tuple(When(self._is_highest(instance, moves), choice) for instance, choice in moves))
        return First(
            tuple(
                All(
                    tuple(
                        When(equal(instance.priority, level), choice) for instance, choice in moves if instance.priority
                    )
                )
                for level in sorted(levels, reverse=True)
            )
        )

    def _is_highest(self, instance: Instance, moves: list[tuple[Instance, Choice]]) -> Expression:
        """Whether no other process that can move has a higher priority, where priorities are computed."""
        assert instance.priority
        return conjunction(
            *(
                Unary(
                    "not",
                    conjunction(
                        Binary(">", Read(other.priority), Read(instance.priority)), self.enabled(choice, {other.name})
                    ),
                )
                for other, choice in moves
                if other.pid != instance.pid and other.priority
            )
        )

    def enabled(self, choice: Choice, names: set[str]) -> Expression:
        """Whether a part of the choice tree has any step that one of these processes takes part in."""
        match choice:
            case Do(number):
                action = self.actions.all[number]
                return action.guard if any(part.process in names for part in action.parts) else FALSE
            case All(children) | First(children):
                ready = [self.enabled(child, names) for child in children]
                return disjunction(*(each for each in ready if not is_constant(each, 0)))
            case Switch(field, cases):
                possible = [(value, self.enabled(child, names)) for value, child in cases]
                return disjunction(
                    *(conjunction(equal(field, value), each) for value, each in possible if not is_constant(each, 0))
                )
            case When(guard, child):
                ready_there = self.enabled(child, names)
                return FALSE if is_constant(ready_there, 0) else conjunction(guard, ready_there)

    def instances(self) -> list[Instance]:
        """Those with the highest pid first, as Spin does."""
        return sorted(self.fields.instances.values(), key=lambda instance: -instance.pid)

    def moves(self, instance: Instance, places: Iterable[Element], timeout: bool) -> Choice:
        cases = [(instance.numbers[place], self._at(instance, place, timeout)) for place in places]
        choice: Choice = Switch(instance.location, tuple(sorted(cases, key=lambda case: case[0])))
        return self._if_provided(instance, choice)

    def provided(self, instance: Instance) -> Expression:
        clause = instance.process.provided
        return TRUE if clause is None else self.ground.statements[instance, False].meaning.lower(clause)

    def _if_provided(self, instance: Instance, choice: Choice) -> Choice:
        provided = self.provided(instance)
        return choice if is_constant(provided, 1) else When(provided, choice)

    def _at(self, instance: Instance, place: Element, timeout: bool) -> Choice:
        """What a process can do at a place."""
        groups = [self._group(instance, group, timeout) for group in instance.flow.at[place]]
        return groups[0] if len(groups) == 1 else First(tuple(groups))

    def _group(self, instance: Instance, group: Group, timeout: bool) -> Choice:
        moves: list[Choice] = []
        for step in group.steps:
            if self.ground.can_be_alone(instance, step):
                moves.append(Do(self.actions.alone(instance, step, timeout)))
            if isinstance(step.statement, ast.Send):
                moves += self._handshakes(instance, step, step.statement)
        choice = moves[0] if len(moves) == 1 else All(tuple(moves))
        if group.otherwise:
            return First((choice, Do(self.actions.alone(instance, group.otherwise, timeout))))
        return choice

    def _handshakes(self, sender: Instance, step: Step, send: ast.Send) -> Iterator[Choice]:
        """All partners of a sender: for each process what it can do where it is."""
        channel = self.ground.channel(sender, send)
        if not any(not bank.capacity for bank, _ in channel.options):
            return
        for receiver in self.instances():
            if receiver.pid == sender.pid:
                continue
            cases: list[tuple[int, Choice]] = []
            for place, groups in receiver.flow.at.items():
                found = [self._meetings(sender, step, receiver, group) for group in groups]
                competing: list[Choice] = [All(tuple(choices)) for choices in found if choices]
                if competing:
                    cases.append(
                        (receiver.numbers[place], competing[0] if len(competing) == 1 else First(tuple(competing)))
                    )
            if cases:
                choice: Choice = Switch(receiver.location, tuple(sorted(cases, key=lambda case: case[0])))
                yield self._if_provided(receiver, choice)

    def _meetings(self, sender: Instance, step: Step, receiver: Instance, group: Group) -> list[Choice]:
        found: list[Choice] = []
        for partner in group.steps:
            match partner.statement:
                case ast.Receive():
                    firsts = [partner]
                case ast.DStep():
                    firsts = first_receives(partner.element)
                case _:
                    continue
            actions = [self.actions.together(sender, step, receiver, partner, first) for first in firsts]
            ways = [Do(action) for action in actions if action is not None]
            if ways:
                found.append(ways[0] if len(ways) == 1 else First(tuple(ways)))
        return found


def held_places(instance: Instance) -> list[Element]:
    """Where a process comes with a step that keeps control."""
    held = {
        step.target
        for place in instance.flow.at
        for step in steps_at(instance.flow, place)
        if step.keeps and step.target
    }
    return [place for place in instance.flow.at if place in held]


def _mentions_timeout(instance: Instance, place: Element) -> bool:
    for group in instance.flow.at[place]:
        for step in group.steps:
            tree = step.statement.body if isinstance(step.statement, ast.DStep) else step.statement
            if any(isinstance(node, terms.Predefined) and node.name == "timeout" for node in nodes(tree)):
                return True
    return False


def _priorities(model: ast.Model) -> set[int] | None:
    """All priorities that a process may ever have; None where they are computed."""
    found = {1, *(process.priority for process in model.processes if process.priority)}
    for _, tree in bodies(model):
        for node in nodes(tree):
            match node:
                case terms.Run(_, _, _, int(priority)):
                    found.add(priority)
                case ast.SetPriority(_, _, value) | ast.Assignment(_, terms.Predefined(_, "_priority"), value):
                    if not isinstance(value, terms.Number):
                        return None
                    found.add(value.value)
    return found
