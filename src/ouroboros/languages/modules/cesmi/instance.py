"""An instance of a module: what was set up for the check of one property, and calls of its functions from Python."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.languages.modules.cesmi.machine import CHANGED, GET_FLAGS, GET_SUCCESSOR, NOT_MADE, OVERRUN, Addresses
from ouroboros.languages.modules.cesmi.nodes import Desk, Node
from ouroboros.languages.modules.opening import Library
from ouroboros.outside import calling

FUNCTIONS = ("make_node", "setup", "get_initial", "get_successor", "get_flags", "show_node", "show_transition")
"""In the order of their numbers in notes, from 1 on."""
_SETUP, _GET_INITIAL, _SHOW_NODE, _SHOW_TRANSITION = (
    FUNCTIONS.index(name) + 1 for name in ("setup", "get_initial", "show_node", "show_transition")
)
GOAL, ACCEPTING, FIRST_USER_FLAG = 1, 2, 1 << 8
GOALS, DEADLOCKS, BUCHI = range(3)
_LAST_FLAG = 1 << 62
MOST_SUCCESSORS = 1 << 16

_ADD_PROPERTY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int)
_ADD_FLAG = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int)


class _Setup(ctypes.Structure):
    _fields_ = (
        ("loader", ctypes.c_void_p),
        ("make_node", ctypes.c_void_p),
        ("clone_node", ctypes.c_void_p),
        ("add_property", _ADD_PROPERTY),
        ("instance", ctypes.c_void_p),
        ("property_count", ctypes.c_int),
        ("property", ctypes.c_int),
        ("instance_initialised", ctypes.c_int),
        ("add_flag", _ADD_FLAG),
    )


class DeclaredProperty(NamedTuple):
    number: int
    name: str
    description: str
    kind: int


class Successor(NamedTuple):
    handle: int
    """That it was asked for with."""
    node: bytes
    site: int | None = None
    """Why it is none."""


class Instance:
    def __init__(self, library: Library, number: int | None = None) -> None:
        """For the property of a number; None: for whatever a module takes for granted."""
        self.library = library
        self.desk = Desk()
        self.properties: list[DeclaredProperty] = []
        self.flags: dict[str, int] = {}
        self._wrong: list[str] = []
        self._setup = _Setup(
            loader=self.desk.address,
            make_node=self.desk.make,
            clone_node=self.desk.clone,
            add_property=_ADD_PROPERTY(self._add_property),
            add_flag=_ADD_FLAG(self._add_flag),
        )
        self._address = ctypes.addressof(self._setup)
        set_up = library.function("setup", None, [ctypes.c_void_p])
        if set_up:
            with calling(_SETUP):
                set_up(self._address)
        if self._wrong:
            raise InputError(f"{library.name}: {self._wrong[0]}")
        self._setup.property = number or 0
        self._setup.instance_initialised = 1
        integer, node, text = ctypes.c_int, Node, ctypes.c_void_p
        setup, result = ctypes.c_void_p, ctypes.POINTER(Node)
        self._get_initial = library.needed("get_initial", integer, [setup, integer, result])
        self._get_successor = library.needed("get_successor", integer, [setup, integer, node, result])
        self._get_flags = library.function("get_flags", ctypes.c_uint64, [setup, node])
        self._show_node = library.function("show_node", text, [setup, node])
        self._show_transition = library.function("show_transition", text, [setup, node, integer])
        self._make = ctypes.CFUNCTYPE(Node, ctypes.c_void_p, integer)(self.desk.make)

    @property
    def addresses(self) -> Addresses:
        return Addresses(self._address, self.library.address("get_successor"), self.library.address("get_flags"))

    def _add_property(self, setup: int, name: bytes | None, description: bytes | None, kind: int) -> int:
        number = len(self.properties)
        if kind not in (GOALS, DEADLOCKS, BUCHI):
            self._wrong.append(f"add_property is called with the type {kind}, which is none of the header's")
        told = (
            _text(description) or ("no goal is reached", "every state has a successor", "no run is accepted")[kind % 3]
        )
        self.properties.append(DeclaredProperty(number, _text(name) or f"p_{number + 1}", told, kind))
        self._setup.property_count = number + 1
        return number

    def _add_flag(self, setup: int, name: bytes | None, flag: int, kind: int) -> None:
        told = _text(name)
        if not told or told in self.flags:
            self._wrong.append(f"add_flag is called with the name {told!r}, which each flag must have one of")
        if flag < FIRST_USER_FLAG or flag & flag - 1 or flag > _LAST_FLAG:
            self._wrong.append(
                f"add_flag is called with {flag} for {told}: it must be one bit, {FIRST_USER_FLAG} or more"
            )
        self.flags[told] = flag

    def initial(self) -> list[bytes]:
        found: list[bytes] = []
        handle = 1
        while True:
            self.desk.clear()
            result = Node()
            with calling(_GET_INITIAL, handle):
                handle = self._get_initial(self._address, handle, result)
            if not handle:
                return list(dict.fromkeys(found))
            content, site = self._content(result)
            if site is not None:
                told = "gives a node that make_node has not made" if site == NOT_MADE else "writes beyond its node"
                raise InputError(f"{self.library.name}: get_initial {told}")
            found.append(content)
            if len(found) > MOST_SUCCESSORS:
                raise InputError(
                    f"{self.library.name}: get_initial gives states without end: the last handle must be 0"
                )

    def _content(self, result: Node) -> tuple[bytes, int | None]:
        size = self.desk.made(result.handle)
        if size is None:
            return b"", NOT_MADE
        if self.desk.overrun(result.handle, size):
            return b"", OVERRUN
        return ctypes.string_at(result.handle, size), None

    def _given(self, content: bytes) -> Node:
        self.desk.clear()
        node: Node = self._make(self._address, len(content))
        ctypes.memmove(node.handle, content, len(content))
        return node

    def successors(self, content: bytes) -> Iterator[Successor]:
        """One after the other, with failures in their places."""
        node = self._given(content)
        behind = self.desk.words[0]
        handle, count = 1, 0
        while handle:
            self.desk.words[0] = behind
            result, asked = Node(), handle
            with calling(GET_SUCCESSOR, handle, content):
                handle = self._get_successor(self._address, handle, node, result)
            if handle:
                found = self._content(result)
                yield Successor(asked, *(found if result.handle >= behind else (b"", NOT_MADE)))
            count += 1
            if count > MOST_SUCCESSORS:
                raise endless(self.library.name)
        size = len(content)
        if ctypes.string_at(node.handle, size) != content or self.desk.overrun(node.handle, size):
            yield Successor(0, b"", CHANGED)

    def flags_of(self, content: bytes) -> int:
        if not self._get_flags:
            return 0
        node = self._given(content)
        with calling(GET_FLAGS, 0, content):
            return int(self._get_flags(self._address, node)) & ((1 << 63) - 1)

    def shown(self, content: bytes) -> str | None:
        if not self._show_node:
            return None
        node = self._given(content)
        with calling(_SHOW_NODE, 0, content):
            return _string(self._show_node(self._address, node))

    def shown_transitions(self, content: bytes, handles: Sequence[int]) -> list[str | None]:
        if not self._show_transition:
            return [None] * len(handles)
        found = []
        for handle in handles:
            node = self._given(content)
            with calling(_SHOW_TRANSITION, handle, content):
                found.append(_string(self._show_transition(self._address, node, handle)))
        return found


def endless(name: str) -> InputError:
    return InputError(
        f"{name}: get_successor gives more than {MOST_SUCCESSORS:,} successors of one state: the last handle must be 0"
    )


def _text(given: bytes | None) -> str:
    return (given or b"").decode("utf-8", "replace").strip()


def _string(address: int | None) -> str | None:
    """Not given back: whether it came from malloc, nobody can tell."""
    return _text(ctypes.string_at(address)) if address else None
