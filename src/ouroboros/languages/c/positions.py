"""Places of threads in conditions: `worker[2]@critical`, `main@42`, `@queue.c:42`, `@end`.

A thread is at a line or in a function if one of its calls is: it stands there, or in what was called from there. It is
at a label if the first of what others can see after the label is what it does next.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import NamedTuple

from ouroboros.conditions import PLACE
from ouroboros.errors import InputError
from ouroboros.languages.c.description import Description, first_function
from ouroboros.languages.c.machine.compile import ROOT
from ouroboros.languages.c.machine.layout import StateLayout
from ouroboros.languages.c.places import Frame
from ouroboros.languages.c.read.instructions import Instruction, successors
from ouroboros.languages.c.read.module import Block, Function
from ouroboros.source import Span

END = "end"
_MOST_LINES_TOLD = 8


class Position(NamedTuple):
    """Of some of the threads: that one of them is at some place."""

    slots: frozenset[int]
    roots: frozenset[int] | None
    """The sites of their first functions; None: of any."""
    sites: frozenset[int]


class Positions:
    """The places of one program."""

    def __init__(self, description: Description, first_file: str) -> None:
        self._description, self._layout = description, description.layout
        self._first_file = first_file
        self._calls = {site.number: description.calls(site.number) for site in self._layout.sites}

    def read(self, text: str, span: Span) -> Position:
        """What a text means; raises InputError where there is no such thread or place."""
        found = PLACE.fullmatch(text)
        assert found is not None
        slots, roots = self._threads(found["thread"], found["slot"], span)
        return Position(slots, roots, self._sites(found["where"], span))

    # Threads.

    def _threads(self, name: str | None, slot: str | None, span: Span) -> tuple[frozenset[int], frozenset[int] | None]:
        every = frozenset(range(self._layout.room.threads))
        if name is None:
            return every, None
        if name == "main":
            return frozenset({0}), None
        roots = {self._root(site.function) for site in self._layout.sites} - {""}
        if name not in roots:
            meant = ", ".join(["main", *sorted(roots)])
            raise InputError(f"no thread runs a function {name}", span, f"threads run {meant}")
        numbers = frozenset(site.number for site in self._layout.sites if self._root(site.function) == name)
        if slot is None:
            return every - {0}, numbers
        return frozenset({int(slot)}) & every, numbers

    def _root(self, function: str) -> str:
        return first_function(function) if function.startswith(ROOT) else ""

    # Places.

    def _sites(self, where: str, span: Span) -> frozenset[int]:
        if ":" in where or where.isdigit():
            file, _, line = where.rpartition(":")
            return self._at_line(file or self._first_file, int(line), span)
        found = frozenset(n for n, calls in self._calls.items() if any(each.function == where for each in calls))
        found |= self._at_label(where)
        if not found:
            names = {each.function for calls in self._calls.values() for each in calls} | set(self._labels())
            meant = get_close_matches(where, names, n=1)
            hint = f"did you mean {meant[0]}?" if meant else f"there are {', '.join(sorted(names))}, and @{END}"
            raise InputError(f"no thread is ever seen in a function {where}, nor at such a label", span, hint)
        return found

    def _at_line(self, file: str, line: int, span: Span) -> frozenset[int]:
        def there(frame: Frame) -> bool:
            return frame.file.name == file or str(frame.file).endswith(f"/{file}")

        found = frozenset(
            number for number, calls in self._calls.items() if any(f.line == line and there(f) for f in calls)
        )
        if not found:
            lines = {f.line for calls in self._calls.values() for f in calls if there(f)}
            near = sorted(sorted(lines, key=lambda each: abs(each - line))[:_MOST_LINES_TOLD])
            hint = f"lines where others can see a thread are {', '.join(map(str, near))}" if near else None
            raise InputError(f"no thread is ever seen at {file}:{line}", span, hint)
        return found

    def _labels(self) -> list[str]:
        return [
            self._label(record.variable)
            for function in self._layout.module.functions.values()
            for block in function.blocks
            for each in block.instructions
            for record in each.records
            if record.kind == "label"
        ]

    def _label(self, number: int) -> str:
        return str(self._layout.module.metadata[number].fields.get("name", ""))

    def _at_label(self, name: str) -> frozenset[int]:
        found: set[int] = set()
        for function in self._layout.module.functions.values():
            for block in function.blocks:
                for index, each in enumerate(block.instructions):
                    if self._has_label(each, name):
                        found |= _next_sites(self._layout, function, block, index)
        return frozenset(found)

    def _has_label(self, instruction: Instruction, name: str) -> bool:
        return any(each.kind == "label" and self._label(each.variable) == name for each in instruction.records)


def _next_sites(layout: StateLayout, function: Function, block: Block, index: int) -> set[int]:
    """Where a frame stands next that has come to an instruction."""
    found: set[int] = set()
    seen: set[str] = set()
    waiting = [(block, index)]
    while waiting:
        current, first = waiting.pop()
        cut = layout.cuts.get((function.name, current.label))
        if cut is not None and first == 0:
            found.add(cut.number)
            continue
        call = next(
            (
                layout.calls[function.name, current.label, at]
                for at in range(first, len(current.instructions))
                if (function.name, current.label, at) in layout.calls
            ),
            None,
        )
        if call is not None:
            found.add(call.number)
            continue
        for label in successors(current.instructions[-1]):
            if label not in seen:
                seen.add(label)
                waiting.append((function.block(label), 0))
    return found
