"""Which channels a variable may hold: what is assigned, passed to processes and sent in messages, as a fixed point.

A channel is known by where it was made: the variable (and the fields of structures) that has it as its initial value.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TypeAlias

from ouroboros.languages.promela.read import ast, terms
from ouroboros.languages.promela.read.trees import bodies, nodes

Path: TypeAlias = tuple[terms.Variable, ...]
"""A variable, then the fields of structures that lead to a basic one."""

_Slot: TypeAlias = Path | tuple[Path, int]
"""What can hold a channel: a path, or a position in the messages of the channels made at one."""


def path_of(access: terms.Access) -> Path:
    return (access.variable, *(member.field for member in access.members))


def basic_paths(variable: terms.Variable) -> list[Path]:
    """The paths from a variable to all basic ones in it."""
    if isinstance(variable.type, terms.Basic):
        return [(variable,)]
    return [(variable, *rest) for field in variable.type.fields for rest in basic_paths(field)]


class References:
    def __init__(self, model: ast.Model) -> None:
        self.made: dict[Path, terms.Channel] = {}
        """Where channels are made."""
        self.written: set[Path] = set()
        """What holds a channel and may get another one."""
        self._holds: dict[_Slot, set[Path]] = defaultdict(set)
        self._flows: set[tuple[_Slot, _Slot]] = set()
        variables = [*model.globals]
        for process, _ in bodies(model):
            variables += process.variables
        for variable in variables:
            for path in basic_paths(variable):
                self._declare(path)
        trees = [tree for _, tree in bodies(model)]
        self._moves = [node for tree in trees for node in nodes(tree) if isinstance(node, _MOVES)]
        for move in self._moves:
            self._note(move, model)
        self._solve()

    def of(self, path: Path) -> list[Path]:
        """Where the channels were made that something may hold, in the order of their making."""
        held = self._holds.get(path, set())
        return [made for made in self.made if made in held]

    def goes_to_children_only(self, made: Path) -> bool:
        """Whether a channel is known to who makes it and to processes that it starts, which get it as a parameter."""
        holders = {slot for slot, held in self._holds.items() if made in held} - {made}
        moved = [move for move in self._moves if not isinstance(move, terms.Run)]
        received = {
            path_of(place)
            for move in moved
            for place in ((move.place,) if isinstance(move, ast.Assignment) else move.arguments)
            if isinstance(place, terms.Access) and not isinstance(move, ast.Send)
        }
        return all(
            len(slot) == 1 and isinstance(slot[0], terms.Variable) and slot[0].parameter and slot not in received
            for slot in holders
        )

    def _declare(self, path: Path) -> None:
        last = path[-1]
        if isinstance(last.type, terms.Basic) and last.type.name == "chan":
            if isinstance(last.initial, terms.Channel):
                self.made[path] = last.initial
                self._holds[path].add(path)
            else:
                self.written.add(path)
                if isinstance(last.initial, terms.Access):
                    self._flows.add((path_of(last.initial), path))

    def _note(self, move: object, model: ast.Model) -> None:
        match move:
            case ast.Assignment(_, terms.Access() as place, value) if _is_channel(place):
                self._flow(value, path_of(place))
            case terms.Run(_, name, arguments):
                for parameter, argument in zip(model.process(name).parameters, arguments, strict=False):
                    if _is_channel_type(parameter.type):
                        self._flow(argument, (parameter,))

    def _flow(self, value: terms.Expression, target: Path) -> None:
        self.written.add(target)
        match value:
            case terms.Access() if _is_channel(value):
                self._flows.add((path_of(value), target))
            case terms.Conditional(_, _, yes, no):
                self._flow(yes, target)
                self._flow(no, target)

    def _solve(self) -> None:
        before = -1
        while before != (before := len(self._flows) + sum(map(len, self._holds.values()))):
            for origin, target in self._flows:
                self._holds[target] |= self._holds.get(origin, set())
            for move in self._moves:
                if isinstance(move, ast.Send | ast.Receive):
                    for made in self.of(path_of(move.channel)):
                        self._pass(move, made)
            if before == len(self._flows) + sum(map(len, self._holds.values())):
                return

    def _pass(self, move: ast.Send | ast.Receive, made: Path) -> None:
        for position, argument in enumerate(move.arguments):
            if isinstance(argument, terms.Access) and _is_channel(argument):
                if isinstance(move, ast.Send):
                    self._flows.add((path_of(argument), (made, position)))
                else:
                    self.written.add(path_of(argument))
                    self._flows.add(((made, position), path_of(argument)))


_MOVES = (ast.Assignment, terms.Run, ast.Send, ast.Receive)


def _is_channel_type(kind: terms.Type) -> bool:
    return isinstance(kind, terms.Basic) and kind.name == "chan"


def _is_channel(access: terms.Access) -> bool:
    return _is_channel_type(access.last.type)
