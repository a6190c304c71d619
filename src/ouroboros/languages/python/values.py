"""What an expression is while it is compiled."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from ouroboros.languages.python.storage import Place
from ouroboros.languages.python.types import RecordType, Simple
from ouroboros.system.expressions import Expression

if TYPE_CHECKING:
    from ouroboros.languages.python.frames import Frame


@dataclass(frozen=True, eq=False)
class Known:
    """A Python object that is the same in every state: a number, a member of an enumeration, a function, a class."""

    value: Any

    def __eq__(self, other: object) -> bool:
        """True and 1 are equal, and not the same."""
        return isinstance(other, Known) and type(self.value) is type(other.value) and bool(self.value == other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))


class Scalar(NamedTuple):
    """A simple value that depends on the state."""

    type: Simple
    number: Expression


@dataclass(frozen=True)
class Made:
    """A record that was just made."""

    type: RecordType
    parts: dict[str, Value]


@dataclass(frozen=True)
class Listed:
    """A list, tuple or set that was just made."""

    kind: Literal["list", "tuple", "set", "dict"]
    items: tuple[Value, ...]
    """Of a dictionary, the values."""
    keys: tuple[Value, ...] = ()
    named: bool = False
    """Whether a variable holds it as well, so that it cannot become a part of the state without being copied."""


@dataclass(frozen=True)
class Numbers:
    """A `range` whose bounds depend on the state."""

    start: Scalar
    stop: Scalar
    step: int


@dataclass(frozen=True)
class Adapted:
    """`enumerate`, `zip`, `reversed` or `sorted` of other things."""

    kind: Literal["enumerate", "zip", "reversed", "sorted"]
    parts: tuple[Value, ...]
    start: int = 0


@dataclass(frozen=True)
class Generated:
    """A comprehension or generator expression that is not run yet."""

    node: ast.GeneratorExp | ast.ListComp | ast.SetComp
    frame: Frame


@dataclass(frozen=True)
class Bound:
    """A function of an object: a method with its `self`, or one of a list, set or dictionary."""

    receiver: Value
    name: str
    function: Any = None
    """None for what a list, set or dictionary can do by itself."""


@dataclass(frozen=True)
class Processes:
    """The processes that a method makes; and one of them, with its member."""

    owner: Place
    name: str
    member: Any = None
    chosen: bool = False


@dataclass(frozen=True)
class Gone:
    """What a variable is whose object has moved, so that nobody knows where it is."""

    reason: str


Value: TypeAlias = "Gone | Known | Scalar | Made | Listed | Numbers | Adapted | Generated | Bound | Processes | Place"


class Static(NamedTuple):
    """Things to go through that are known one by one."""

    items: tuple[Value, ...]


class Guarded(NamedTuple):
    """Things to go through in no particular order, each of which may be there or not."""

    items: tuple[tuple[Expression, Value], ...]


class Indexed(NamedTuple):
    """Things to go through by a number from zero on."""

    length: Callable[[], Expression]
    """As it is now."""
    most: int
    item: Callable[[Expression], Value]


Iteration: TypeAlias = Static | Guarded | Indexed


def known(value: Any) -> Value:
    """What a function of Python made just now: nobody else holds it."""
    match value:
        case list() | tuple():
            return Listed("list" if isinstance(value, list) else "tuple", tuple(map(known, value)))
        case set() | frozenset():
            return Listed("set", tuple(map(Known, value)))
        case dict():
            return Listed("dict", tuple(map(known, value.values())), tuple(map(Known, value)))
    return Known(value)
