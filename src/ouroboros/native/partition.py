"""Large choice trees, cut into functions: LLVM's passes take more than linear time in the size of one function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias, cast

from ouroboros.system.blocks import Block, If, Scope, While
from ouroboros.system.choices import Action, All, Choice, Do, First, Switch, When


class Call(NamedTuple):
    """A subtree that has a function of its own. It stands where a choice stands, but only for the emitter's eyes."""

    child: Choice


class _Branch(NamedTuple):
    """A child, the labels under which a switch has it, and the size of the code that it adds to its function."""

    labels: tuple[int, ...]
    child: Choice
    size: int


_Rebuild: TypeAlias = Callable[[Sequence[_Branch]], Choice]


def partition(choice: Choice, actions: Sequence[Action], limit: int) -> Choice:
    """The same tree, with calls wherever a function would have more than about `limit` statements."""
    sizes = [1 + _statements(action.effect) for action in actions]
    return _cut(choice, sizes, limit).child


def _statements(block: Block) -> int:
    count = len(block)
    for statement in block:
        match statement:
            case If(_, then, otherwise):
                count += _statements(then) + _statements(otherwise)
            case While(_, body) | Scope(_, body):
                count += _statements(body)
    return count


def _cut(choice: Choice, sizes: Sequence[int], limit: int, labels: tuple[int, ...] = ()) -> _Branch:
    match choice:
        case Do(action):
            return _Branch(labels, choice, sizes[action])
        case When(guard, child):
            inner = _cut(child, sizes, limit)
            return _Branch(labels, When(guard, inner.child), inner.size + 1)
        case All(children):
            branches, rebuild = [_cut(child, sizes, limit) for child in children], _all
        case First(children):
            branches, rebuild = [_cut(child, sizes, limit) for child in children], _first
        case Switch(item, cases):
            branches = [_cut(child, sizes, limit, (label,)) for label, child in cases]

            def rebuild(parts: Sequence[_Branch]) -> Choice:
                return Switch(item, tuple((label, part.child) for part in parts for label in part.labels))

    while _total(branches) > limit and len(branches) > 1:
        branches = [_outline(group, rebuild) for group in _groups(branches, limit)]
    return _Branch(labels, rebuild(branches), _total(branches))


def _all(parts: Sequence[_Branch]) -> Choice:
    return All(tuple(part.child for part in parts))


def _first(parts: Sequence[_Branch]) -> Choice:
    return First(tuple(part.child for part in parts))


def _total(branches: Sequence[_Branch]) -> int:
    return sum(branch.size for branch in branches)


def _groups(branches: Sequence[_Branch], limit: int) -> list[list[_Branch]]:
    """Neighbours together, as many as the limit allows: grouping neighbours changes neither order nor meaning."""
    groups: list[list[_Branch]] = []
    room = 0
    for branch in branches:
        if not groups or branch.size > room:
            groups.append([])
            room = limit
        groups[-1].append(branch)
        room -= branch.size
    return groups


def _outline(group: Sequence[_Branch], rebuild: _Rebuild) -> _Branch:
    if len(group) == 1 and isinstance(group[0].child, Call):
        return group[0]
    child = group[0].child if len(group) == 1 and len(group[0].labels) <= 1 else rebuild(group)
    return _Branch(tuple(label for part in group for label in part.labels), cast(Choice, Call(child)), 1)
