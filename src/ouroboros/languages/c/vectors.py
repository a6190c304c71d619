"""States of the reference as vectors of the machine code, and back."""

from __future__ import annotations

from ouroboros.languages.c.machine.constants import register_bytes
from ouroboros.languages.c.machine.failures import HEAP_ROOM, STACK
from ouroboros.languages.c.machine.layout import LEAKED, FrameLayout, StateLayout
from ouroboros.languages.c.machine.layout import Site as Place
from ouroboros.languages.c.machine.memory import GONE, SCRATCH, USED, WORD_BITS
from ouroboros.languages.c.pointers import pointer, stack_number
from ouroboros.languages.c.read.values import Local
from ouroboros.languages.c.reference.failure import Site
from ouroboros.languages.c.reference.memory import Register
from ouroboros.languages.c.reference.state import FrameState, HeapObject, State, ThreadState
from ouroboros.system.layout import Vector


class TooLarge(Exception):
    """A state for which there is no room; `kind` says of what."""

    def __init__(self, kind: int) -> None:
        super().__init__(kind)
        self.kind = kind


class Vectors:
    """For the layout of one program's states."""

    def __init__(self, layout: StateLayout) -> None:
        self.layout = layout
        self._live: dict[int, tuple[Local, ...]] = {}
        self._sites: dict[int, Site] = {}
        for (function, label), place in layout.cuts.items():
            self._sites[place.number] = Site(function, label, 0)
            self._live[place.number] = next(cut.live for cut in layout.program.cuts[function] if cut.label == label)
        for (function, label, index), place in layout.calls.items():
            self._sites[place.number] = Site(function, label, index + 1)
            self._live[place.number] = layout.program.calls[function, label, index]

    def encode(self, state: State) -> Vector:
        """The vector of a state; raises TooLarge."""
        layout = self.layout
        data = bytearray(8 * layout.words)
        self._put(data, 0, state.over | state.atomic << 32 | (LEAKED if state.leaked else 0))
        for (offset, size), content in zip(layout.globals.values(), state.variables, strict=True):
            data[offset : offset + size] = content
        for slot, thread in enumerate(state.threads):
            if thread is not None:
                self._put_thread(data, slot, thread)
        self._put_heap(data, state.heap)
        return self._words(data)

    def decode(self, vector: Vector) -> State:
        """The state of a vector."""
        layout = self.layout
        data = b"".join(word.to_bytes(8, "little") for word in vector)
        variables = tuple(data[offset : offset + size] for offset, size in layout.globals.values())
        threads = tuple(self._thread(data, vector, slot) for slot in range(layout.room.threads))
        owner, leaked = vector[0] >> 32 & 0xFFFF, bool(vector[0] & LEAKED)
        return State(vector[0] & 0xFFFFFFFF, owner, variables, threads, self._heap(data, vector), leaked)

    @staticmethod
    def _put(data: bytearray, word: int, value: int) -> None:
        data[8 * word : 8 * word + 8] = value.to_bytes(8, "little")

    @staticmethod
    def _words(data: bytearray) -> Vector:
        return tuple(int.from_bytes(data[at : at + 8], "little") for at in range(0, len(data), 8))

    def site(self, site: Site) -> int:
        """The number of a place where a frame stands."""
        return self._place(site).number

    # Threads.

    def _place(self, site: Site) -> Place:
        if site.number:
            return self.layout.calls[site.function, site.label, site.number - 1]
        return self.layout.cuts[site.function, site.label]

    def _put_thread(self, data: bytearray, slot: int, thread: ThreadState) -> None:
        first = self.layout.thread_word(slot)
        end = first + self.layout.words_of_thread(slot)
        begin = first + 1
        for depth, frame in enumerate(thread.frames):
            place = self._place(frame.site)
            if begin + place.words > end:
                raise TooLarge(STACK)
            self._put_frame(data, begin, frame, place)
            if depth == len(thread.frames) - 1:
                about = place.number | depth << 16 | begin << 32 | thread.depth << 48
                self._put(data, first, about)
            else:
                above = begin + place.words + 1
                if above > end:
                    raise TooLarge(STACK)
                self._put(data, above - 1, place.number | begin << 16)
                begin = above

    def _put_frame(self, data: bytearray, begin: int, frame: FrameState, place: Place) -> None:
        layout = self.layout.frames[place.function]
        marks = 0
        for each, content in zip(layout.objects.values(), frame.objects, strict=True):
            if content is not None:
                at = 8 * begin + each.offset
                data[at : at + len(content)] = content
                marks |= 0 if each.mark is None else 1 << each.mark
        for word in range(layout.marks):
            self._put(data, begin + word, marks >> 64 * word & (1 << 64) - 1)
        values = dict(zip(self._live[place.number], frame.registers, strict=True))
        for register in place.registers:
            value = values[register.local]
            for index in register.way:
                assert isinstance(value, tuple)
                value = value[index]
            assert isinstance(value, int)
            size = register_bytes(register.kind)
            at = 8 * begin + register.offset
            data[at : at + size] = value.to_bytes(size, "little")

    def _thread(self, data: bytes, vector: Vector, slot: int) -> ThreadState | None:
        about = vector[self.layout.thread_word(slot)]
        if not about:
            return None
        depth, begin = about >> 16 & 0xFFFF, about >> 32 & 0xFFFF
        number = about & 0xFFFF
        frames = []
        for level in range(depth, -1, -1):
            frames.append(self._frame(data, slot, level, begin, self.layout.sites[number - 1]))
            if level:
                number, begin = vector[begin - 1] & 0xFFFF, vector[begin - 1] >> 16 & 0xFFFF
        return ThreadState(about >> 48, tuple(reversed(frames)))

    def _frame(self, data: bytes, slot: int, level: int, begin: int, place: Place) -> FrameState:
        layout = self.layout.frames[place.function]
        marks = int.from_bytes(data[8 * begin : 8 * (begin + layout.marks)], "little")
        objects: list[bytes | None] = []
        for each in layout.objects.values():
            at = 8 * begin + each.offset
            dead = each.mark is not None and not marks >> each.mark & 1
            objects.append(None if dead else data[at : at + each.size])
        found: dict[tuple[Local, tuple[int, ...]], int] = {}
        for register in place.registers:
            at = 8 * begin + register.offset
            found[register.local, register.way] = int.from_bytes(
                data[at : at + register_bytes(register.kind)], "little"
            )
        registers = tuple(self._register(local, found, layout, slot, level) for local in self._live[place.number])
        return FrameState(self._sites[place.number], registers, tuple(objects))

    def _register(
        self,
        local: Local,
        found: dict[tuple[Local, tuple[int, ...]], int],
        layout: FrameLayout,
        slot: int,
        level: int,
    ) -> Register:
        own = layout.objects.get(local.name)
        if own is not None:
            return pointer(stack_number(slot, level, own.number))
        return _whole((), {way: value for (each, way), value in found.items() if each == local})

    # The heap.

    def _put_heap(self, data: bytearray, heap: tuple[HeapObject, ...]) -> None:
        layout, words = self.layout, 0
        if len(heap) > layout.room.heap_objects:
            raise TooLarge(HEAP_ROOM)
        for number, each in enumerate(heap):
            entry = each.size | words << 32 | USED | (GONE if each.data is None else 0)
            entry |= SCRATCH if each.scratch else 0
            self._put(data, layout.heap_entries + number, entry)
            if each.data is not None:
                length = -(-each.size // 8)
                if words + length > layout.room.heap_words:
                    raise TooLarge(HEAP_ROOM)
                at = 8 * (layout.heap_contents + words)
                data[at : at + each.size] = each.data
                words += length
        if heap:
            self._put(data, 1, len(heap) | words << 32)

    def _heap(self, data: bytes, vector: Vector) -> tuple[HeapObject, ...]:
        layout = self.layout
        count = vector[1] & 0xFFFFFFFF if layout.has_heap else 0
        found = []
        for entry in vector[layout.heap_entries : layout.heap_entries + count]:
            size, begin = entry & 0xFFFFFFFF, entry >> 32 & (1 << WORD_BITS) - 1
            at = 8 * (layout.heap_contents + begin)
            found.append(HeapObject(size, None if entry & GONE else data[at : at + size], bool(entry & SCRATCH)))
        return tuple(found)


def _whole(way: tuple[int, ...], parts: dict[tuple[int, ...], int]) -> Register:
    """A value of its scalars."""
    if way in parts:
        return parts[way]
    count = 1 + max(each[len(way)] for each in parts if each[: len(way)] == way)
    return tuple(_whole((*way, index), parts) for index in range(count))
