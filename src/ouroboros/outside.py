"""Calls of machine code that is not ours, noted where the note outlives the process.

A module that others have compiled may crash, never return, or write where it must not, and takes the process with it.
So each process notes what it calls in memory that it shares with its relatives: whoever is left can tell what happened.
Processes are copies of each other; each gets a slot of its own when it is made.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ouroboros.errors import InputError

LONGEST_CALL = 10.0
"""Seconds. A call makes one state: what takes longer is taken for a loop."""

_SLOTS = 2048
_SLOT_BYTES = 1024
_WORD = 8
NODE_WORDS = 64
"""So much of a state is noted."""

# The words of a slot: whose it is; how many calls there were; what is being called, 0 for nothing; what with; the size
# of the state in bytes; whether it was ended since it did not return; and then the state.
PROCESS, CALLS, FUNCTION, ARGUMENT, SIZE, STUCK, NODE = range(7)
_NAMES = (NODE + NODE_WORDS) * _WORD
"""Where the names of the module and of its functions begin, divided by zeros."""

_CRASHES = {
    signal.SIGSEGV: "a wrong access to memory",
    signal.SIGBUS: "a wrong access to memory",
    signal.SIGFPE: "a wrong operation on numbers, such as a division by zero",
    signal.SIGILL: "a wrong instruction",
    signal.SIGTRAP: "a trap",
    signal.SIGABRT: "abort",
}


class _Slots:
    """What all relatives share. The first one has the first slot."""

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, _SLOTS * _SLOT_BYTES)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.own = ctypes.c_uint64(self.address)
        """The address of this process' slot: machine code reads it here, since it is another one in each copy."""
        self._made = 0
        self._claim()
        os.register_at_fork(before=self._count, after_in_child=self._move)

    def _count(self) -> None:
        self._made += 1

    def _move(self) -> None:
        before = self.own.value
        self.own.value = self.address + (1 + self._made % (_SLOTS - 1)) * _SLOT_BYTES
        ctypes.memset(self.own.value, 0, _SLOT_BYTES)
        ctypes.memmove(self.own.value + _NAMES, before + _NAMES, _SLOT_BYTES - _NAMES)
        self._claim()

    def _claim(self) -> None:
        self.words(self.own.value)[PROCESS] = os.getpid()

    @staticmethod
    def words(address: int) -> ctypes.Array[ctypes.c_uint64]:
        return (ctypes.c_uint64 * (NODE + NODE_WORDS)).from_address(address)

    def used(self) -> Iterator[int]:
        """The addresses of the slots of processes."""
        for number in range(_SLOTS):
            address = self.address + number * _SLOT_BYTES
            if self.words(address)[PROCESS]:
                yield address


_slots: list[_Slots] = []


def begin() -> None:
    """From now on calls can be noted, in this process and its copies."""
    if not _slots:
        _slots.append(_Slots())


def slot_cell() -> int:
    """Where the address of this process' slot is, in every copy of it."""
    begin()
    return ctypes.addressof(_slots[0].own)


def name_functions(module: str, functions: Sequence[str]) -> None:
    """What is called from now on: function k is the k-th of these, from 1 on."""
    begin()
    room = _SLOT_BYTES - _NAMES - 1
    told = b"\0".join(name.encode() for name in (module[-room // 2 :], *functions))[:room]
    ctypes.memmove(_slots[0].own.value + _NAMES, told.ljust(room, b"\0"), room)


@contextmanager
def calling(function: int, argument: int = 0, node: bytes = b"") -> Iterator[None]:
    """Note a call from Python."""
    begin()
    address = _slots[0].own.value
    words = _Slots.words(address)
    words[CALLS] += 1
    words[ARGUMENT] = argument & 0xFFFFFFFFFFFFFFFF
    words[SIZE] = len(node)
    ctypes.memmove(address + NODE * _WORD, node, min(len(node), NODE_WORDS * _WORD))
    words[FUNCTION] = function
    try:
        yield
    finally:
        words[FUNCTION] = 0


def last_call(process: int, code: int) -> InputError | None:
    """Why a process has ended with this code, less than zero for a signal, if a module is to blame."""
    if not _slots or code >= 0:
        return None
    slots = _slots[0]
    for address in slots.used():
        words = slots.words(address)
        if words[PROCESS] == process:
            told = _told(address, words, signal.Signals(-code))
            # Its number may become that of another process.
            words[PROCESS] = words[FUNCTION] = 0
            return told
    return None


def _told(address: int, words: ctypes.Array[ctypes.c_uint64], ended_by: signal.Signals) -> InputError | None:
    text = ctypes.string_at(address + _NAMES, _SLOT_BYTES - _NAMES).rstrip(b"\0").decode(errors="replace")
    if not text:
        return None
    module, *functions = text.split("\0")
    number = words[FUNCTION]
    name = functions[number - 1] if 0 < number <= len(functions) else ""
    argument = ctypes.c_int64(words[ARGUMENT]).value
    size = words[SIZE]
    node = ctypes.string_at(address + NODE * _WORD, min(size, NODE_WORDS * _WORD))
    shown = f" for the state {_hexadecimal(node)}{' …' if size > len(node) else ''}" if size else ""
    hint = f"it was called with {argument}{shown}; nothing is decided"
    if name and words[STUCK]:
        return InputError(
            f"{module}: {name} has not come back for {LONGEST_CALL:.0f} s: it is taken to loop", None, hint
        )
    if ended_by not in _CRASHES:
        return None
    if name == "make_node":
        return InputError(f"{module}: it has asked make_node for {argument:,} bytes", None, "nothing is decided")
    why = f"{ended_by.name}, {_CRASHES[ended_by]}"
    if name:
        return InputError(f"{module}: {name} has crashed: {why}", None, hint)
    hint = "a module that writes where it must not may do that to the process that has loaded it; nothing is decided"
    return InputError(f"{module}: the process has crashed outside of it: {why}", None, hint)


def _hexadecimal(node: bytes) -> str:
    return f"of {len(node)} bytes {node.hex(' ', 4)}"


class Watch:
    """Looks for calls that do not come back."""

    def __init__(self) -> None:
        begin()
        self._seen: dict[int, tuple[int, float]] = {}

    def end_stuck(self) -> None:
        """End every process that has been in one call for too long; call this now and then."""
        now = time.monotonic()
        for address in _slots[0].used():
            words = _Slots.words(address)
            if not words[FUNCTION]:
                self._seen.pop(address, None)
                continue
            calls, since = self._seen.get(address, (-1, now))
            if calls != words[CALLS]:
                self._seen[address] = words[CALLS], now
            elif now - since > LONGEST_CALL:
                self._seen.pop(address)
                # One that has crashed is in its last call until somebody asks how it has ended.
                if words[PROCESS] in alive():
                    words[STUCK] = 1
                    os.kill(words[PROCESS], signal.SIGKILL)


def alive() -> set[int]:
    """The processes that have slots and run, and are relatives of this one."""
    slots = _slots[0]
    known = {slots.words(address)[PROCESS] for address in slots.used()}
    found = set()
    for process in known:
        try:
            state, parent = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        if state not in "ZX" and int(parent) in known | {os.getpid()}:
            found.add(process)
    return found
