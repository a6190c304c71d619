"""The steps of a module, for everything that explores: by machine code, and by calls from Python as the reference."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ouroboros.languages.modules.cesmi.instance import MOST_SUCCESSORS, Instance, endless
from ouroboros.languages.modules.cesmi.machine import ROOM, TOO_LARGE, machine_code
from ouroboros.languages.modules.cesmi.nodes import MOST, WANTED
from ouroboros.system import foreign
from ouroboros.system.choices import Part
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Vector

ROOMS = (1, 2, 3, 4, 5, 6, 7, 8, *(8 * (4 + part) << shift >> 2 for shift in range(12) for part in range(1, 5)))
"""How many words states may have: not many more than are needed."""

_VALUE = re.compile(r"\s*([\w.\[\]' -]+?)\s*[:=]\s*([^,;:=]+?)\s*")


def vector(content: bytes, words: int) -> Vector:
    """The state of a node."""
    padded = content.ljust((words - 1) * 8, b"\0")
    return (len(content), *(int.from_bytes(padded[at : at + 8], "little") for at in range(0, len(padded), 8)))


def content(state: Vector) -> bytes:
    return b"".join(word.to_bytes(8, "little") for word in state[1:])[: state[0]]


def words_for(size: int) -> int:
    """Of a state with a node of so many bytes."""
    return 1 + -(-size // 8)


def room_for(words: int) -> int | None:
    """The number of the smallest room; None: there is none."""
    return next((number for number, room in enumerate(ROOMS) if words <= room), None)


class Steps:
    """What a system of a module has instead of a choice tree."""

    def __init__(self, instance: Instance, words: int) -> None:
        self.instance, self.words = instance, words

    @property
    def most_successors(self) -> int:
        desk = self.instance.desk
        if desk.words[WANTED] > MOST_SUCCESSORS:
            raise endless(self.instance.library.name)
        desk.words[MOST] = max(desk.words[MOST], desk.words[WANTED])
        return int(desk.words[MOST])

    def machine(self) -> foreign.Machine:
        instance = self.instance
        return machine_code(instance.addresses, instance.desk, self.words, ROOMS)

    def steps(self, state: Vector) -> Sequence[Step]:
        node = content(state)
        found = list(self.instance.successors(node))
        told = self.instance.shown_transitions(node, [each.handle for each in found])
        made = []
        for each, text in zip(found, told, strict=True):
            part = (Part("", text or f"transition {each.handle}", None),)
            site, needed = each.site, words_for(len(each.node))
            if site is None and needed > self.words:
                room = room_for(needed)
                site = TOO_LARGE if room is None else ROOM + room
            made.append(Step(0, None if site is not None else vector(each.node, self.words), site, parts=part))
        return made

    def observe(self, state: Vector) -> int:
        return self.instance.flags_of(content(state))

    def shown(self, state: Vector) -> Mapping[str, int | str]:
        node = content(state)
        text = self.instance.shown(node)
        if text is None:
            return {"node": f"{len(node)} bytes: {node.hex(' ')}"}
        return values_in(text) or {"state": text}

    def remarks(self) -> Sequence[str]:
        return ()


def values_in(text: str) -> dict[str, int | str]:
    """The values by their names, if all that a text says are names and values."""
    found: dict[str, int | str] = {}
    for piece in re.split(r"[,;\n]", text):
        if not piece.strip():
            continue
        match = _VALUE.fullmatch(piece)
        if match is None or match[1] in found:
            return {}
        found[match[1]] = int(match[2]) if re.fullmatch(r"-?\d{1,18}", match[2]) else match[2]
    return found
