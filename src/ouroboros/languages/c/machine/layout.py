"""Where in a state's vector everything of a program is.

    word 0              the program is over (its exit code + 1) in 32 bits; who is in an atomic section (slot + 1), in
                        16; the highest bit, if that is asked for: the last step lost memory that was not freed
    word 1              if there is a heap: how many objects it has, and how many words they take
    globals             the variables that can change, in the order of the module, as C lays them out
    threads             for each slot: a word about the thread, then its frames from the bottom up
    heap                an entry for each object, then their contents

The word about a thread: the number of the place where its top frame stands (0: there is no thread), the depth of that
frame, the word where it begins, and how deep in atomic sections it is: 16 bits each. A frame has the objects of its
function, in places that do not change, then the registers that are alive where it stands. Above the lowest frame, the
word before it says where the frame below stands, and where that begins.
"""

from __future__ import annotations

from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.languages.c.machine.constants import Constants, register_bytes, scalars
from ouroboros.languages.c.machine.failures import HOPELESS_KINDS
from ouroboros.languages.c.places import Places
from ouroboros.languages.c.pointers import MOST_OBJECTS_OF_A_FUNCTION
from ouroboros.languages.c.program import Program
from ouroboros.languages.c.read.instructions import Alloca, Call
from ouroboros.languages.c.read.types import Type
from ouroboros.languages.c.read.values import Global, IntegerConstant, Local
from ouroboros.languages.c.variables import library_variables


class Room(NamedTuple):
    """How large a program may become."""

    threads: int
    main_words: int
    """Of the first thread: what it keeps is often more than what others keep."""
    stack_words: int
    """Of each of the others."""
    heap_objects: int
    heap_words: int


class Register(NamedTuple):
    """A scalar of a value that is alive."""

    local: Local
    way: tuple[int, ...]
    """To the scalar, in a value with several."""
    kind: Type
    offset: int
    """In bytes, from the beginning of the frame."""


class Object(NamedTuple):
    """Memory of a function."""

    name: str
    number: int
    """Among those of the function."""
    offset: int
    """In bytes, from the beginning of the frame."""
    size: int
    mark: int | None
    """Which bit of the frame's marks says that it is alive, if it is not always."""


class Site(NamedTuple):
    """Where a frame can stand: at a cut, at a call, or at the beginning of a function."""

    number: int
    function: str
    registers: tuple[Register, ...]
    words: int
    """The length of a frame that stands here."""


class FrameLayout(NamedTuple):
    objects: dict[str, Object]
    marks: int
    """How many words of marks there are; they come first."""
    registers: int
    """The word where registers begin."""


MOST = (1 << 16) - 1
"""What fits into the word about a thread."""

LIFETIME_START, LIFETIME_END = "llvm.lifetime.start", "llvm.lifetime.end"


LEAKED = 1 << 63
"""In the first word of a state."""


class StateLayout:
    """Everything's place, for a program and the room that it gets."""

    def __init__(
        self, program: Program, room: Room, *, leaks: bool = False, given_up: frozenset[int] = HOPELESS_KINDS
    ) -> None:
        """`given_up` are the kinds of failures after which nothing is tried."""
        self.given_up = given_up
        self.program, self.room = program, room
        self.module = program.module
        self.constants = Constants(program.module)
        places = Places(program.module)
        self.in_library = places.in_library
        self.has_heap = any(
            f"__ouro_{name}" in self.module.functions for name in ("allocate", "scratch", "free", "size")
        )
        self.leaks = leaks and self.has_heap
        self.globals: dict[str, tuple[int, int]] = {}
        """Of each variable that can change: byte offset in the vector, and size."""
        end = 8 * (2 if self.has_heap else 1)
        for name, variable in self.module.variables.items():
            if variable.initialiser is not None and not variable.constant:
                size = self.module.layout.size(variable.type)
                align = min(8, max(1, variable.alignment or self.module.layout.alignment(variable.type)))
                end = -(-end // align) * align
                self.globals[name] = (end, size)
                end += size
        self.of_library = [name for name in library_variables(self.module) if name in self.globals]
        """Which mean nothing any more when the program has ended."""
        self.thread_base = -(-end // 8)
        self.heap_entries = self.thread_base + room.main_words + (room.threads - 1) * room.stack_words
        heap = (room.heap_objects, room.heap_words) if self.has_heap else (0, 0)
        self.heap_contents = self.heap_entries + heap[0]
        self.words = self.heap_contents + heap[1]
        self._confirm(self.heap_entries, "words: its variables and stacks are too large")
        self.frames = {name: self._frame(name) for name, function in self.module.functions.items() if function.blocks}
        self.cuts: dict[tuple[str, str], Site] = {}
        self.calls: dict[tuple[str, str, int], Site] = {}
        self.entries: dict[str, Site] = {}
        self.sites: list[Site] = []
        """By number, from 1 on: first the cuts, in the order of their numbers."""
        cuts = sorted((cut for cuts in program.cuts.values() for cut in cuts), key=lambda cut: cut.number)
        for cut in cuts:
            self.cuts[cut.function, cut.label] = self._site(cut.function, cut.live)
        for (function, label, index), live in program.calls.items():
            self.calls[function, label, index] = self._site(function, live)
        for name in self.frames:
            self.entries[name] = self._site(name, self.module.functions[name].parameters)
        self._confirm(len(self.sites), "places where a thread may stand")

    @staticmethod
    def _confirm(count: int, what: str) -> None:
        if count > MOST:
            raise InputError(f"a state of the program needs {count:,} {what}", hint=f"there can be {MOST:,}")

    @property
    def kinds_of_steps(self) -> int:
        """Of each thread: a step from each cut, and one from the beginning of the program."""
        return len(self.cuts) + 1

    @property
    def first_given_up(self) -> int:
        """The number of the step that stands for the first failure; those of threads and of nobody come before."""
        return (self.room.threads + 1) * self.kinds_of_steps

    def label(self, slot: int, about: int) -> int:
        """The number of a step that a thread makes, by the word about the thread."""
        return slot * self.kinds_of_steps + min((about & 0xFFFF) - 1, len(self.cuts))

    def thread_word(self, slot: int) -> int:
        """The word about a thread."""
        if not slot:
            return self.thread_base
        return self.thread_base + self.room.main_words + (slot - 1) * self.room.stack_words

    def words_of_thread(self, slot: int) -> int:
        """How many words a thread has."""
        return self.room.stack_words if slot else self.room.main_words

    def _frame(self, name: str) -> FrameLayout:
        marked: dict[str, int] = {}
        allocas: list[Alloca] = []
        for block in self.module.functions[name].blocks:
            for instruction in block.instructions:
                if isinstance(instruction, Alloca):
                    if isinstance(instruction.count, IntegerConstant):
                        allocas.append(instruction)
                elif (local := marked_object(instruction)) is not None:
                    marked.setdefault(local, len(marked))
        if len(allocas) >= MOST_OBJECTS_OF_A_FUNCTION:
            raise InputError(f"{name} has {len(allocas)} variables in memory, of which there can be 255")
        marks = -(-len(marked) // 64)
        end = 8 * marks
        objects: dict[str, Object] = {}
        for index, alloca in enumerate(allocas):
            assert alloca.result is not None
            assert isinstance(alloca.count, IntegerConstant)
            size = self.module.layout.size(alloca.allocated) * alloca.count.value
            objects[alloca.result] = Object(alloca.result, index, end, size, marked.get(alloca.result))
            end += -(-size // 8) * 8
        return FrameLayout(objects, marks, end // 8)

    def _site(self, function: str, live: tuple[Local, ...]) -> Site:
        end = 8 * self.frames[function].registers
        objects = self.frames[function].objects
        registers_alive = [local for local in live if local.name not in objects]
        found = [(local, way, kind) for local in registers_alive for way, kind in scalars(local.type)]
        # Larger ones first: then none has to be aligned, and pointers are whole words.
        found.sort(key=lambda entry: -register_bytes(entry[2]))
        registers = []
        for local, way, kind in found:
            registers.append(Register(local, way, kind, end))
            end += register_bytes(kind)
        site = Site(len(self.sites) + 1, function, tuple(registers), -(-end // 8))
        self.sites.append(site)
        return site


def marked_object(instruction: object) -> str | None:
    """The name of the object whose life begins or ends here."""
    match instruction:
        case Call(callee=Global(name), arguments=arguments) if name.startswith((LIFETIME_START, LIFETIME_END)):
            pointer = arguments[-1]
            return pointer.name if isinstance(pointer, Local) else None
    return None
