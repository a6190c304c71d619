"""What the library in C asks of the interpreter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ouroboros.languages.c.pointers import object_of, pointer
from ouroboros.languages.c.read.instructions import Call, Invoke
from ouroboros.languages.c.read.values import Local
from ouroboros.languages.c.reference.arithmetic import signed
from ouroboros.languages.c.reference.failure import Blocked, Dropped, Failed, Finished, Omitted
from ouroboros.languages.c.reference.intrinsics import IGNORED, intrinsic
from ouroboros.languages.c.reference.memory import Register
from ouroboros.languages.c.reference.printing import Printer
from ouroboros.languages.c.reference.threads import Thread

if TYPE_CHECKING:
    from ouroboros.languages.c.reference.run import Run

WIDE_CHOICE, UNSUPPORTED, BAD_CALL = 15, 24, 21
MOST_OUTCOMES = 1 << 16


class Primitives:
    """One method for each, by its name."""

    def call(self, run: Run, call: Call | Invoke, name: str) -> Register | None:
        if name.startswith(IGNORED):
            return None
        arguments = [run.value(each) for each in call.arguments]
        if name.startswith("llvm."):
            return self._intrinsic(run, call, name, arguments)
        numbers = [each for each in arguments if isinstance(each, int)]
        method = getattr(self, name.removeprefix("__ouro_"), None) if name.startswith("__ouro_") else None
        if method is None:
            raise Failed(UNSUPPORTED, f"a call of {name}, which has no body")
        result: Register | None = method(run, *numbers)
        return result

    def _intrinsic(self, run: Run, call: Call | Invoke, name: str, arguments: list[Register]) -> Register | None:
        if name.startswith(("llvm.memcpy", "llvm.memmove", "llvm.memset")):
            target, source, size = (each for each in arguments[:3] if isinstance(each, int))
            fills = "memset" in name
            data = bytes([source]) * size if fills else run.memory.bytes_at(source, size)
            run.memory.put(target, data)
            if not fills:
                run.note(call, source, size, writes=False, atomic=False)
            run.note(call, target, size, writes=True, atomic=False)
            return None
        if name.startswith("llvm.lifetime"):
            self._lifetime(run, call, begins="start" in name)
            return None
        return intrinsic(name, call.type, arguments)

    @staticmethod
    def _lifetime(run: Run, call: Call | Invoke, *, begins: bool) -> None:
        """A variable's scope begins or ends; either way what was in it is gone."""
        place = call.arguments[-1]
        frame = run.thread.top
        if isinstance(place, Local) and place.name in frame.shape.objects:
            found = run.memory.objects[frame.number(place.name)]
            found.alive = begins
            found.data = bytearray(found.size)

    def begin(self, run: Run, ways: int) -> Register:
        ways = signed(ways, 32)
        chosen = self._chosen(run, ways) if ways > 1 else 0
        run.thread.depth += 1
        run.noticed = True
        return chosen

    def _chosen(self, run: Run, ways: int) -> int:
        if ways > MOST_OUTCOMES:
            raise Failed(WIDE_CHOICE)
        run.ways = ways
        chosen, run.choice = run.choice, 0
        return chosen

    def end(self, run: Run) -> None:
        run.thread.depth = max(0, run.thread.depth - 1)

    def choose(self, run: Run, low: int, high: int, name: int) -> Register:
        first, last = signed(low, 64), signed(high, 64)
        if last - first >= MOST_OUTCOMES:
            raise Failed(WIDE_CHOICE, Printer(run.memory).format(name, 0))
        if last < first:
            raise Blocked(0, 9)
        return (first + self._chosen(run, last - first + 1)) % (1 << 64)

    def sample(self, run: Run, count: int, name: int) -> Register:
        chosen = self._chosen(run, count + 1)
        if chosen == count:
            raise Omitted
        return chosen

    def blocked(self, run: Run, on: int, kind: int) -> None:
        raise Blocked(on, kind)

    def drop(self, run: Run) -> None:
        raise Dropped

    def fail(self, run: Run, kind: int, text: int) -> None:
        raise Failed(kind, Printer(run.memory).format(text, 0).replace("%%", "%"))

    def self(self, run: Run) -> Register:
        return run.thread.slot

    def create(self, run: Run, slot: int, root: int, function: int, argument: int) -> None:
        name = run.reference.function_names.get(object_of(root))
        if name is None:
            raise Failed(BAD_CALL)
        created = Thread(slot, 0, [])
        run.threads[slot] = created
        run.push(created, name, [function, argument])
        run.noticed = True
        run.advance(created)

    def leave(self, run: Run) -> None:
        thread = run.thread
        while thread.frames:
            run.drop_frame(thread)
        run.threads[thread.slot] = None
        raise Finished

    def exit(self, run: Run, code: int) -> None:
        run.over = (code & 255) + 1
        raise Finished

    def allocate(self, run: Run, size: int) -> Register:
        return pointer(run.memory.allocate(size))

    def scratch(self, run: Run, size: int) -> Register:
        return pointer(run.memory.allocate(size, scratch=True))

    def free(self, run: Run, address: int) -> None:
        run.memory.free(address)

    def size(self, run: Run, address: int) -> Register:
        return run.memory.locate(address, 0, write=False)[0].size

    def print(self, run: Run, template: int, slots: int) -> Register:
        run.output.append(Printer(run.memory).format(template, slots))
        return 0
