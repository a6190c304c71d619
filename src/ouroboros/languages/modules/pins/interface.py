"""What libraries of LTSmin's and Spot's users export, under the names of either compiler, and calls from Python.

States are arrays of 32-bit integers. A library is asked for all successors of one at once, and hands each to a
function: `callback(argument, transition, state, …)`, where a transition has an array of labels and a number.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ouroboros.languages.modules.opening import Library
from ouroboros.outside import calling

FUNCTIONS = ("get_initial_state", "get_successors", "a predicate of states")
"""In the order of their numbers in notes, from 1 on."""
GET_INITIAL, GET_SUCCESSORS, GET_LABEL = range(1, 4)

MOST_VARIABLES = 1 << 16
WHOLE_BITS = 32
_MOST_NAMES = 1 << 12


class Dialect(NamedTuple):
    """How the functions are called."""

    title: str
    initial: str
    successors: str
    size: str
    variable_name: str
    variable_type: str
    type_name: str
    values: str
    value_name: str
    transitions: str
    widths: Mapping[str, tuple[int, bool]]
    """How many bits the values of a type have, by its name, and whether they have a sign."""


DIALECTS = (
    Dialect(
        "DVE, compiled for LTSmin",
        "get_initial_state",
        "get_successors",
        "get_state_variable_count",
        "get_state_variable_name",
        "get_state_variable_type",
        "get_state_variable_type_name",
        "get_state_variable_type_value_count",
        "get_state_variable_type_value",
        "get_transition_count",
        {"byte": (8, False), "int": (16, True)},
    ),
    Dialect(
        "Promela, compiled by SpinS",
        "spins_get_initial_state",
        "spins_get_successor_all",
        "spins_get_state_size",
        "spins_get_state_variable_name",
        "spins_get_state_variable_type",
        "spins_get_type_name",
        "spins_get_type_value_count",
        "spins_get_type_value_name",
        "spins_get_transition_groups",
        {"bool": (8, False), "bit": (8, False), "byte": (8, False), "pc": (16, False), "short": (16, True)},
    ),
)


class _Transition(ctypes.Structure):
    _fields_ = (("labels", ctypes.POINTER(ctypes.c_int)), ("number", ctypes.c_int))


_CALLBACK = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.POINTER(_Transition), ctypes.POINTER(ctypes.c_int), ctypes.c_void_p
)


class Made(NamedTuple):
    """A successor."""

    number: int
    """Of the transition; less than zero where the library does not tell."""
    asserted: bool
    """Whether an assertion was false."""
    state: tuple[int, ...]


class Labels(NamedTuple):
    """What transitions are called, and which of their labels says that an assertion is false."""

    statements: tuple[str, ...]
    action: int
    """The place among the labels of a transition; -1: there is none."""
    asserted: int
    """The value at that place."""


class PinsLibrary:
    def __init__(self, library: Library, dialect: Dialect) -> None:
        self.library, self.dialect = library, dialect
        integer, text = ctypes.c_int, ctypes.c_char_p
        self._initial = library.needed(dialect.initial, None, [ctypes.c_void_p])
        self._successors = library.needed(dialect.successors, integer, [ctypes.c_void_p] * 4)
        self.size: int = library.needed(dialect.size, integer, [])()
        self._value_count = library.function(dialect.values, integer, [integer])
        self._value_name = library.function(dialect.value_name, text, [integer, integer])
        name = library.needed(dialect.variable_name, text, [integer])
        kind = library.function(dialect.variable_type, integer, [integer])
        self.names = tuple(_text(name(each)) or f"variable {each}" for each in range(max(0, self.size)))
        kinds = tuple(kind(each) if kind else -1 for each in range(max(0, self.size)))
        found = {each: self._values(each) for each in set(kinds)}
        self.values = tuple(found[each] for each in kinds)
        self.widths = tuple(map(self._width, kinds))
        count = library.function(dialect.transitions, integer, [])
        self.transitions: int = max(1, count()) if count else 1
        self.labels = self._labels()
        self.predicates = self._predicates()
        self.accepting = self._accepting()

    def _values(self, kind: int) -> tuple[str, ...]:
        """The names of the values of a type, if it has any."""
        count = self._value_count(kind) if self._value_count and kind >= 0 else 0
        if not self._value_name or not 0 < count <= _MOST_NAMES:
            return ()
        names = tuple(_text(self._value_name(kind, value)) for value in range(count))
        return names if all(names) else ()

    def _width(self, kind: int) -> tuple[int, bool]:
        """How many bits its values should have, and whether they have a sign."""
        if named := self._values(kind):
            return (8 if len(named) <= 1 << 8 else 16), False
        name = self.library.function(self.dialect.type_name, ctypes.c_char_p, [ctypes.c_int])
        return self.dialect.widths.get(_text(name(kind)) if name and kind >= 0 else "", (WHOLE_BITS, True))

    def _labels(self) -> Labels:
        integer = ctypes.c_int
        count = self.library.function("spins_get_edge_count", integer, [])
        name = self.library.function("spins_get_edge_name", ctypes.c_char_p, [integer])
        kind = self.library.function("spins_get_edge_type", integer, [integer])
        if not (count and name and kind and self._value_count and self._value_name):
            return Labels((), -1, 0)
        places = {_text(name(place)): place for place in range(count())}
        statements: tuple[str, ...] = ()
        if "statement" in places:
            statements = self._values(kind(places["statement"]))
        if "action" not in places:
            return Labels(statements, -1, 0)
        action = kind(places["action"])
        actions = [_text(self._value_name(action, value)) for value in range(min(64, self._value_count(action)))]
        if "assert" not in actions:
            return Labels(statements, -1, 0)
        return Labels(statements, places["action"], actions.index("assert"))

    def _predicates(self) -> dict[str, int]:
        """The numbers of what the library can tell of states, by names; guards of transitions have none."""
        integer = ctypes.c_int
        count = self.library.function("spins_get_label_count", integer, [])
        guards = self.library.function("spins_get_guard_count", integer, [])
        name = self.library.function("spins_get_label_name", ctypes.c_char_p, [integer])
        if not (count and guards and name and self.library.exports("spins_get_label")):
            return {}
        return {_text(name(each)): each for each in range(guards(), count())}

    def _accepting(self) -> str | None:
        """The function that says whether a state is accepting, if the library has an automaton beside its model."""
        has = self.library.function("have_property", ctypes.c_int, [])
        return "buchi_is_accepting" if has and has() and self.library.exports("buchi_is_accepting") else None

    def initial(self) -> tuple[int, ...]:
        # Some write more than they say.
        state = (ctypes.c_int * (self.size + 1024))()
        with calling(GET_INITIAL):
            self._initial(ctypes.addressof(state))
        return tuple(state[: self.size])

    def successors(self, state: Sequence[int]) -> tuple[list[Made], tuple[int, ...]]:
        """All of them; and the state as it is afterwards, which should be the same."""
        given, found = self._given(state), list[Made]()

        def take(_: Any, transition: Any, after: Any, __: Any) -> None:
            number, asserted = -1, False
            if transition:
                told, place = transition.contents, self.labels.action
                number = told.number
                asserted = place >= 0 and bool(told.labels) and told.labels[place] == self.labels.asserted
            found.append(Made(number, asserted, tuple(after[: self.size])))

        with calling(GET_SUCCESSORS, 0, bytes(given)[: 4 * self.size]):
            self._successors(None, ctypes.addressof(given), ctypes.cast(_CALLBACK(take), ctypes.c_void_p), None)
        return found, tuple(given[: self.size])

    def _given(self, state: Sequence[int]) -> ctypes.Array[ctypes.c_int]:
        return (ctypes.c_int * (self.size + 1024))(*state)

    def holds(self, predicate: int, state: Sequence[int]) -> bool:
        integer, given = ctypes.c_int, self._given(state)
        function = self.library.needed("spins_get_label", integer, [ctypes.c_void_p, integer, ctypes.c_void_p])
        with calling(GET_LABEL, predicate):
            return bool(function(None, predicate, ctypes.addressof(given)))

    def accepts(self, state: Sequence[int]) -> bool:
        assert self.accepting
        given = self._given(state)
        function = self.library.needed(self.accepting, ctypes.c_int, [ctypes.c_void_p] * 2)
        with calling(GET_LABEL):
            return bool(function(None, ctypes.addressof(given)))


def _text(given: bytes | None) -> str:
    return (given or b"").decode("utf-8", "replace").strip()
