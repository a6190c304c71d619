"""Objects with several names. A name for a mutable object is the place where the object lies; so an object may not be
stored in two places, and where something else is put in its place, the names that it had mean nothing any more.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import is_dataclass, replace
from typing import Any

from ouroboros.languages.python.conversions import Conversions
from ouroboros.languages.python.frames import Frame
from ouroboros.languages.python.storage import Leaf, Node, Place, nodes_within
from ouroboros.languages.python.types import is_immutable
from ouroboros.languages.python.values import Adapted, Bound, Gone, Known, Listed, Made, Value


class Aliases(Conversions):
    def moved(self, node: Node) -> None:
        """Something else is put in the place of what lies there."""
        if isinstance(node, Leaf):
            return
        self.code.moves.append(node)
        gone = {id(each) for each in nodes_within(node)}
        frame: Frame | None = self.frame
        while frame is not None:
            for name, value in frame.variables.items():
                if any(id(place.node) in gone for place in mutable_places(value)):
                    frame.variables[name] = Gone("something else was put where it was, or it was moved")
            frame = frame.outer

    def unmoved(self, value: Value, since: int, node: ast.AST) -> None:
        """Refuses an object in whose place something was put since so many moves."""
        for place in mutable_places(value):
            for moved in self.code.moves[since:]:
                if any(each is place.node for each in nodes_within(moved)):
                    raise self.refusal(
                        node,
                        "while this is in use, something else is put in its place",
                        "take a copy before, or make the change afterwards",
                    )

    def shallow(self, place: Place, node: ast.AST) -> None:
        """Refuses a copy that has objects in common with what it is a copy of."""
        parts = [part for part in nodes_within(place.node) if part is not place.node]
        if any(not isinstance(part, Leaf) and not is_immutable(part.type) for part in parts):
            raise self.refusal(
                node, "this copy would have objects in common with the original", "write copy.deepcopy(…)"
            )

    def shared(self, node: ast.AST) -> Exception:
        return self.refusal(
            node,
            "this would be one object with two names, and a change of one would be a change of the other",
            "store a copy: list(…), set(…), dict(…), dataclasses.replace(…) or copy.deepcopy(…)",
        )


def named(value: Value) -> Value:
    """The same object as a variable holds it."""
    match value:
        case Place() if value.fresh and not is_immutable(value.type):
            return value._replace(fresh=False)
        case Listed(_, items):
            return replace(value, items=tuple(map(named, items)), named=True)
    return value


def is_shared(value: Value) -> bool:
    """Whether somebody else holds this object, or a part of it, and could tell if it changed."""
    match value:
        case Place():
            return not (value.fresh or is_immutable(value.type))
        case Listed(kind, items, _, held):
            return (held and kind != "tuple") or any(map(is_shared, items))
        case Made(kind, parts):
            return any(map(is_shared, parts.values()))
        case Known(known):
            return _is_mutable(known)
    return False


def can_change(value: Value) -> bool:
    """Whether a value is an object of which a part may be assigned to."""
    match value:
        case Place():
            return not is_immutable(value.type)
        case Listed(kind, items):
            return kind != "tuple" or any(map(can_change, items))
        case Made(kind):
            return not is_immutable(kind)
        case Known(known):
            return _is_mutable(known)
    return False


def mutable_places(value: Value) -> Sequence[Place]:
    match value:
        case Place() if not is_immutable(value.type):
            return [value]
        case Bound(receiver):
            return mutable_places(receiver)
        case Listed(_, parts) | Adapted(_, parts):
            return [place for part in parts for place in mutable_places(part)]
        case Made(_, members):
            return [place for part in members.values() for place in mutable_places(part)]
    return []


def _is_mutable(known: Any) -> bool:
    if isinstance(known, tuple):
        return any(map(_is_mutable, known))
    if is_dataclass(known) and not isinstance(known, type):
        return not known.__dataclass_params__.frozen  # type: ignore[attr-defined]  # dataclasses tell nobody else
    return isinstance(known, list | set | dict)
