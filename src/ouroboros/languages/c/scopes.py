"""Local variables, as the debug information has them: which of them are in scope where a frame stands, and where their
values are then.

What a record says of a variable is true until another record of the same variable comes: a forward analysis over the
blocks of a function, in which only what all predecessors say survives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ouroboros.languages.c.places import Places, reference
from ouroboros.languages.c.read.instructions import DebugRecord, Instruction, successors
from ouroboros.languages.c.read.module import Block, Function, Module, Node
from ouroboros.languages.c.read.values import Undefined, Value

_FRAGMENT = re.compile(r"DW_OP_LLVM_fragment,(\d+),(\d+)")
_SIMPLE = re.compile(r"!DIExpression\((?:DW_OP_LLVM_fragment,\d+,\d+)?\)")


class Kept(NamedTuple):
    """Where a variable, or a part of it, is to be found."""

    name: str
    type: int
    """The number of the node that describes it."""
    value: Value
    in_memory: bool
    """Whether the value is the address."""
    offset: int
    """In bytes, of the part."""
    size: int
    """Of the part; 0: it is the whole."""


_Key = tuple[int, int | None, int]
"""A variable, where its function was inlined, and the offset of the part in bits."""
_Known = dict[_Key, DebugRecord]


class Scopes:
    """Of the functions of a module."""

    def __init__(self, module: Module, places: Places) -> None:
        self._module, self._places = module, places
        self._begin: dict[str, dict[str, _Known]] = {}

    def at(self, function: Function, block: Block, index: int) -> tuple[str, list[Kept]]:
        """The function of the program that an instruction belongs to, and its variables that are in scope just before
        it."""
        where = self._own_location(block.instructions[index:])
        if where is None:
            return "", []
        node = self._module.metadata[where]
        inlined_at = reference(node, "inlinedAt")
        scopes = set(self._scopes(node))
        begin = self._begin.get(function.name)
        if begin is None:
            begin = self._begin[function.name] = self._solved(function)
        known = dict(begin.get(block.label, {}))
        for instruction in block.instructions[:index]:
            self._record(known, instruction)
        found = [
            self._kept(record)
            for (variable, inlined, _), record in sorted(known.items(), key=lambda item: (item[0][0], item[0][2]))
            if inlined == inlined_at and reference(self._module.metadata[variable], "scope") in scopes
        ]
        name = self._places.frames(where)[0].function
        return name, [each for each in found if each is not None]

    def _own_location(self, instructions: tuple[Instruction, ...]) -> int | None:
        """The place in the program itself that comes next, down to the innermost of what was inlined."""
        for each in instructions:
            location = each.location
            while location is not None:
                frame = self._places.frames(location)[0]
                if frame.is_own:
                    return location
                location = reference(self._module.metadata[location], "inlinedAt")
        return None

    def _scopes(self, node: Node) -> Iterator[int]:
        """All scopes around a place, up to its function."""
        number = reference(node, "scope")
        while number is not None:
            yield number
            scope = self._module.metadata[number]
            number = None if scope.kind == "DISubprogram" else reference(scope, "scope")

    def _kept(self, record: DebugRecord) -> Kept | None:
        variable = self._module.metadata[record.variable]
        name, kind = variable.fields.get("name"), reference(variable, "type")
        if not isinstance(name, str) or kind is None or isinstance(record.value, Undefined):
            return None
        if not _SIMPLE.fullmatch(record.expression.replace(" ", "")):
            return None
        part = _FRAGMENT.search(record.expression.replace(" ", ""))
        offset, size = (int(part[1]) // 8, int(part[2]) // 8) if part else (0, 0)
        return Kept(name, kind, record.value, record.kind == "declare", offset, size)

    def _record(self, known: _Known, instruction: Instruction) -> None:
        for record in instruction.records:
            if record.kind == "label":
                continue
            part = _FRAGMENT.search(record.expression.replace(" ", ""))
            inlined = reference(self._module.metadata[record.location], "inlinedAt")
            if part is None:
                for key in [each for each in known if each[:2] == (record.variable, inlined)]:
                    del known[key]
            known[record.variable, inlined, int(part[1]) if part else 0] = record

    def _solved(self, function: Function) -> dict[str, _Known]:
        blocks = {block.label: block for block in function.blocks}
        begin: dict[str, _Known] = {function.blocks[0].label: {}}
        waiting = [function.blocks[0].label]
        while waiting:
            block = blocks[waiting.pop()]
            known = dict(begin[block.label])
            for instruction in block.instructions:
                self._record(known, instruction)
            for label in successors(block.instructions[-1]):
                before = begin.get(label)
                agreed = known if before is None else _agreed(before, known)
                if before is None or len(agreed) < len(before):
                    begin[label] = dict(agreed)
                    waiting.append(label)
        return begin


def _agreed(one: _Known, other: _Known) -> _Known:
    return {
        key: record
        for key, record in one.items()
        if key in other and (other[key] is record or _same(record, other[key]))
    }


def _same(one: DebugRecord, other: DebugRecord) -> bool:
    return one.value == other.value and one.expression == other.expression and one.kind == other.kind
