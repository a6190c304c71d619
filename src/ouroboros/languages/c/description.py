"""States and steps in the words of the program: threads, places, variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from ouroboros.languages.c.compile import LIBRARY
from ouroboros.languages.c.machine import failures
from ouroboros.languages.c.machine.compile import ROOT, Machine
from ouroboros.languages.c.machine.failures import MESSAGES, Failure
from ouroboros.languages.c.machine.layout import Site
from ouroboros.languages.c.places import Frame, Places
from ouroboros.languages.c.pointers import object_of, offset_of
from ouroboros.languages.c.read.instructions import Call, Instruction
from ouroboros.languages.c.read.module import text_of
from ouroboros.languages.c.read.values import Global
from ouroboros.languages.c.reference.failure import Blocked
from ouroboros.languages.c.scopes import Scopes
from ouroboros.languages.c.values import Standing, Values, standings
from ouroboros.languages.c.variables import Scalar, Variable, Variables
from ouroboros.source import Source
from ouroboros.system.choices import Part
from ouroboros.system.foreign import Passing
from ouroboros.system.layout import Vector

MOST_NAMED = 1 << 16
"""Elements of an array that conditions can name."""

_WAITS = (
    "",
    "the mutex",
    "the lock",
    "the condition",
    "the barrier",
    "the semaphore",
    "the end of",
    "the first call of",
    "the spin lock",
)
"""By the numbers that the library gives them."""


def first_function(root: str) -> str:
    """What a thread runs, by the function that holds everything inlined; C++ makes functions of its own for that."""
    name = root.removeprefix(ROOT).removeprefix(".")
    return "thread" if not name or name.startswith("_Z") else name


class Description:
    """What is told of the states of a program."""

    def __init__(self, machine: Machine, sources: Iterable[Source] = ()) -> None:
        self.machine, self.layout = machine, machine.layout
        self.places = Places(machine.layout.module, sources)
        self._numbers: dict[tuple[Path, int], int] = {}
        """Of the lines that were told of."""
        variables = self._variables = Variables(machine.layout.module)
        self._own = [
            variable
            for variable in variables.known
            if variable.module_name in self.layout.globals and LIBRARY not in variables.file(variable.file).parents
        ]
        self.readable: dict[str, tuple[int, Scalar]] = {
            scalar.name: (self.layout.globals[variable.module_name][0] + scalar.offset, scalar)
            for variable in self._own
            for scalar in variable.scalars
        }
        """The scalars in global variables, and the bytes of a state where they are."""
        self.enumerators = {name: value for _, scalar in self.readable.values() for value, name in scalar.names.items()}
        self._objects = {number: name for name, number in self.layout.constants.numbers.items()}
        self._blocks: dict[tuple[str, str], tuple[Instruction, ...]] = {
            (name, block.label): block.instructions
            for name, function in self.layout.module.functions.items()
            for block in function.blocks
        }
        self.values = Values(self.layout, variables, self._own, Scopes(machine.layout.module, self.places))
        self._sites: dict[int, tuple[Instruction, ...]] = {}
        for (name, label), site in self.layout.cuts.items():
            self._sites[site.number] = self._blocks[name, label]
        for (name, label, index), site in self.layout.calls.items():
            self._sites[site.number] = self._blocks[name, label][index:]
        for name, site in self.layout.entries.items():
            self._sites[site.number] = self.layout.module.functions[name].blocks[0].instructions

    def scalar(self, name: str) -> tuple[int, Scalar] | None:
        """A scalar in a global variable by its name, and the byte of a state where it is."""
        return self.readable.get(name) or self._elements.get(name)

    @cached_property
    def _elements(self) -> dict[str, tuple[int, Scalar]]:
        """All scalars, also those of long arrays."""
        return {
            scalar.name: (self.layout.globals[variable.module_name][0] + scalar.offset, scalar)
            for variable in self._own
            for scalar in self._variables.scalars(variable.name, variable.type, MOST_NAMED)
        }

    def named(self, name: str) -> tuple[Variable, int] | None:
        """The global variable that a name belongs to, and how far into it what is called so begins."""
        for variable in self._own:
            if variable.name == name:
                return variable, 0
            if name.startswith(variable.name) and name[len(variable.name)] in ".[":
                begin = self._variables.begin(variable.name, variable.type, name)
                if begin is not None:
                    return variable, begin
        return None

    def calls(self, site: int) -> tuple[Frame, ...]:
        """The places in the program itself of a frame that stands at a site."""
        return self.places.stack(self._sites[site])

    def place_of(self, failure: Failure) -> Frame | None:
        """Where in the program something goes wrong."""
        instructions = self._blocks.get((failure.function, failure.label))
        if instructions is None:
            return None
        found = self.places.own(instructions[failure.number].location)
        return found or self.places.own_of_block(instructions[failure.number :])

    def frames(self, state: Vector, slot: int) -> list[Site]:
        """Where the frames of a thread stand, the top one first."""
        return [each.site for each in standings(self.layout, state, slot)]

    def stack(self, state: Vector, slot: int) -> list[Frame]:
        """The calls of a thread in the program itself, the innermost first."""
        return [place for site in self.frames(state, slot) for place in self.places.stack(self._sites[site.number])]

    def place(self, state: Vector, slot: int) -> Frame | None:
        """Where a thread stands in the program itself."""
        stack = self.stack(state, slot)
        return stack[0] if stack else None

    def thread(self, state: Vector, slot: int) -> str:
        """What a thread is called: by the function that it runs."""
        frames = self.frames(state, slot)
        if not slot or not frames:
            return "main"
        return f"{first_function(frames[-1].function)} {slot}"

    def actions(self) -> Iterator[Part]:
        """What threads can do: each thread, each cut, and at last the beginning of the program; then the same of
        nobody, for what is left out.
        """
        cuts = [self._sites[number] for number in range(1, len(self.layout.cuts) + 1)]
        beginning = self.layout.module.functions[self.layout.program.start].blocks[0].instructions
        for slot in range(self.layout.room.threads + 1):
            for instructions in (*cuts, beginning):
                yield self._told("main" if not slot else f"thread {slot}", self.places.own_of_block(instructions))
        for failure in self.machine.failures:
            yield self._told("", self.place_of(failure))

    def omissions(self) -> dict[int, str]:
        """The actions that stand for values which are not tried, and what is told of them."""
        found: dict[int, str] = {}
        nobody = self.layout.room.threads * self.layout.kinds_of_steps
        for number in range(1, len(self.layout.cuts) + 1):
            match self._sites[number][0]:
                case Call(Global("__ouro_sample"), (_, name)):
                    place = self.places.own_of_block(self._sites[number])
                    where = f" at {place.file.name}:{place.line}" if place else ""
                    text = text_of(self.layout.module, name)
                    found[nobody + number - 1] = f"only some values of {text}{where} were tried"
        for number, failure in enumerate(self.machine.failures):
            if failure.kind in self.layout.given_up:
                place = self.place_of(failure)
                where = f" at {place.file.name}:{place.line}" if place else ""
                told = self._given_up(failure)
                found[self.layout.first_given_up + number] = f"{told}{where}, and nothing after that was tried"
        return found

    def _given_up(self, failure: Failure) -> str:
        """What a search cannot go on after."""
        room = self.layout.room
        match failure.kind:
            case failures.THREADS:
                return f"more than {room.threads} threads are there at once"
            case failures.STACK:
                return f"calls nest without an end, or need more than {8 * room.stack_words:,} bytes of stack,"
            case failures.HEAP_ROOM:
                return f"more than {8 * room.heap_words:,} bytes in {room.heap_objects:,} objects are allocated"
            case failures.WIDE_CHOICE:
                return f"{failure.text or 'a choice'} has more than 65,536 values (`--range NAME=LO..HI` leaves fewer)"
        return MESSAGES[failure.kind] + (f": {failure.text}" if failure.text else "")

    def lines(self) -> Iterator[Part]:
        """The lines of the program that have something visible, by function."""
        told: set[int] = set()
        for number in range(1, len(self.layout.cuts) + 1):
            place = self.places.own_of_block(self._sites[number])
            part = self._told(place.function, place) if place else None
            if part is not None and part.number is not None and part.number not in told:
                told.add(part.number)
                yield part

    def _told(self, process: str, place: Frame | None) -> Part:
        if place is None:
            return Part(process, "on its way to the program, or to its end", None)
        span = self.places.span(place)
        number = self._numbers.setdefault((place.file, place.line), len(self._numbers))
        return Part(process, span.text if span else place.function, span, number)

    def part(self, state: Vector, slot: int) -> Part:
        """What a thread does next."""
        return self._told(self.thread(state, slot), self.place(state, slot))

    def shown(self, state: Vector) -> dict[str, int | str]:
        """The variables of the program and of the functions that run, and where its threads are."""
        slots = range(self.layout.room.threads)
        threads = {slot: self.thread(state, slot) for slot in slots if state[self.layout.thread_word(slot)]}
        tops = [(threads[slot], top) for slot in threads if (top := self._top(state, slot))]
        told: dict[str, int | str] = {}
        for each in self.values.told(state, tops):
            value: int | str = each.shown
            if each.scalar.kind == "owner" and each.value - 1 in threads:
                value = threads[each.value - 1]
                held = Passing(f"{value} holds")
                told[held] = f"{told[held]}, {each.name}" if held in told else each.name
            told[Passing(each.name) if each.local else each.name] = value
        for slot, name in threads.items():
            stack = self.stack(state, slot)
            if stack:
                told[Passing(f"@{name}")] = " in ".join(f"{frame.function}:{frame.line}" for frame in stack)
        if state[0] & 0xFFFFFFFF:
            told["exit code"] = (state[0] & 0xFFFFFFFF) - 1
        return told

    def _top(self, state: Vector, slot: int) -> Standing | None:
        """The innermost frame that is one of the program itself."""
        found = (
            each for each in standings(self.layout, state, slot) if self.places.stack(self._sites[each.site.number])
        )
        return next(found, None)

    def waits(self, state: Vector, slot: int, reason: Blocked) -> str:
        """What a thread waits for."""
        kind = _WAITS[reason.kind] if 0 < reason.kind < len(_WAITS) else "something"
        if kind == "the end of":
            return f"{kind} {self.thread(state, reason.on - 1)}"
        return f"{kind} {self.address(state, reason.on)}"

    def address(self, state: Vector, pointer: int) -> str:
        """What is at an address, by its name."""
        number, offset = object_of(pointer), offset_of(pointer)
        name = self._objects.get(number)
        if name in self.layout.globals:
            place = self.layout.globals[name][0] + offset
            for scalar_name, (begin, scalar) in self.readable.items():
                if begin <= place < begin + scalar.size:
                    return scalar_name
        return self.values.pointer(state, pointer).removeprefix("&")
