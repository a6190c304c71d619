"""The reference: from a state of a program to all that can come next."""

from __future__ import annotations

from collections.abc import Callable

from ouroboros.languages.c.machine.constants import Constants
from ouroboros.languages.c.places import Places
from ouroboros.languages.c.pointers import HEAP
from ouroboros.languages.c.program import Program
from ouroboros.languages.c.read.instructions import Call
from ouroboros.languages.c.read.types import Array, Struct, Type, Vector
from ouroboros.languages.c.read.values import Aggregate, Global, Local, Undefined, Value, Zero
from ouroboros.languages.c.reference.canonical import Renumbering
from ouroboros.languages.c.reference.failure import Blocked, Dropped, Failed, Omitted, Site
from ouroboros.languages.c.reference.memory import Memory, Object, Register
from ouroboros.languages.c.reference.primitives import Primitives
from ouroboros.languages.c.reference.run import Run
from ouroboros.languages.c.reference.state import FrameState, HeapObject, Outcome, State, ThreadState
from ouroboros.languages.c.reference.threads import Frame, Thread, shape_of
from ouroboros.languages.c.variables import library_variables


class Reference:
    """Makes the steps of one program, for so many threads at once."""

    def __init__(self, program: Program, slots: int, *, leaks: bool = False) -> None:
        self.program = program
        self.slots = slots
        self.leaks = leaks
        """Whether states say what was lost."""
        module = program.module
        self.constants = Constants(module)
        self.in_library = Places(module).in_library
        self.primitives = Primitives()
        self.shapes = {name: shape_of(module.functions[name], program) for name in program.functions}
        self.function_names = {self.constants.numbers[name]: name for name in program.functions}
        self.scoped = {name: self._scoped(name) for name in program.functions}
        """Of each function, the variables whose scope is told."""
        self._known: dict[int, Register] = {}
        self._fixed: dict[int, Object] = {}
        self._variables: list[tuple[int, bytes]] = []
        self._of_library = {self.constants.numbers[name] for name in library_variables(module)}
        for name, variable in module.variables.items():
            if variable.initialiser is not None:
                data = self.constants.data(variable.initialiser)
                if variable.constant:
                    self._fixed[self.constants.numbers[name]] = Object(bytearray(data), constant=True)
                else:
                    self._variables.append((self.constants.numbers[name], data))

    def _scoped(self, name: str) -> frozenset[str]:
        return frozenset(
            place.name
            for block in self.shapes[name].function.blocks
            for instruction in block.instructions
            if isinstance(instruction, Call)
            and isinstance(instruction.callee, Global)
            and instruction.callee.name.startswith("llvm.lifetime")
            and isinstance(place := instruction.arguments[-1], Local)
            and place.name in self.shapes[name].objects
        )

    def constant(self, value: Value) -> Register:
        """The value of a constant; each is worked out once."""
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = self._evaluated(value)
        return known

    def _evaluated(self, value: Value) -> Register:
        match value:
            case Aggregate(_, elements):
                return tuple(self._evaluated(each) for each in elements)
            case Zero(kind) | Undefined(kind):
                return _zero(kind)
        return self.constants.integer(value)

    # States.

    def initial(self) -> Outcome:
        """What the program comes to before its first visible action."""
        memory = self._memory(tuple(data for _, data in self._variables))
        main = Thread(0, 0, [])
        run = Run(self, memory, [main, *[None] * (self.slots - 1)], 0)
        run.push(main, self.program.start, [])
        return self._outcome(run, main, lambda: run.advance(main))[0]

    def successors(self, state: State) -> list[Outcome]:
        """All that can come next: threads in order, and of each its choices."""
        found: list[Outcome] = []
        if state.over:
            return found
        for slot, thread in enumerate(state.threads):
            if thread is not None and state.atomic in (0, slot + 1):
                choice, ways = 0, 1
                while choice < ways:
                    outcome, ways = self.step(state, slot, choice)
                    if outcome is not None:
                        found.append(outcome)
                    choice += 1
        return found

    def step(self, state: State, slot: int, choice: int) -> tuple[Outcome | None, int]:
        """What comes of one choice of a thread, nothing if it is blocked; and how many choices there are."""
        run = self.resumed(state, choice)
        thread = run.threads[slot]
        assert thread is not None
        try:
            outcome, _ = self._outcome(run, thread, lambda: run.first(thread))
        except Blocked:
            return None, run.ways
        return outcome._replace(choice=choice), run.ways

    def waits_for(self, state: State, slot: int) -> Blocked | None:
        """What keeps a thread from its step, if something does."""
        run = self.resumed(state, 0)
        thread = run.threads[slot]
        assert thread is not None
        try:
            self._outcome(run, thread, lambda: run.first(thread))
        except Blocked as reason:
            return reason
        return None

    def _outcome(self, run: Run, thread: Thread, make: Callable[[], None]) -> tuple[Outcome, int]:
        kind, state, failure = "step", None, None
        try:
            make()
            state = self._state(run)
        except Dropped:
            kind = "dropped"
        except Omitted:
            kind = "omitted"
        except Failed as reason:
            kind, failure = "failed", (reason.kind, reason.text, self._place(run))
        return Outcome(thread.slot, run.choice, kind, state, failure, "".join(run.output)), run.ways

    @staticmethod
    def _place(run: Run) -> Site:
        return run.thread.top.site if run.thread.frames else Site("", "", 0)

    def _memory(self, variables: tuple[bytes, ...]) -> Memory:
        memory = Memory(self.program.module.layout)
        memory.objects.update(self._fixed)
        for (number, _), data in zip(self._variables, variables, strict=True):
            memory.objects[number] = Object(bytearray(data))
        return memory

    def resumed(self, state: State, choice: int) -> Run:
        """A step that begins in a state, and takes one of its choices."""
        memory = self._memory(state.variables)
        for number, each in enumerate(state.heap):
            alive = each.data is not None
            data = bytearray(each.data or bytes(each.size))
            memory.objects[HEAP + number] = Object(data, alive, scratch=each.scratch)
        threads = [
            None if each is None else self._thread(slot, each, memory) for slot, each in enumerate(state.threads)
        ]
        return Run(self, memory, threads, choice)

    def _thread(self, slot: int, state: ThreadState, memory: Memory) -> Thread:
        frames = []
        for level, each in enumerate(state.frames):
            shape = self.shapes[each.site.function]
            frame = Frame(shape, slot, level, shape.blocks[each.site.label], each.site.number)
            live = self._live(each.site)
            frame.registers = {local.name: value for local, value in zip(live, each.registers, strict=True)}
            for (name, (_, kind, count)), data in zip(shape.objects.items(), each.objects, strict=True):
                size = self.program.module.layout.size(kind) * count
                memory.objects[frame.number(name)] = Object(bytearray(data or bytes(size)), data is not None)
            frames.append(frame)
        return Thread(slot, state.depth, frames)

    def _live(self, site: Site) -> tuple[Local, ...]:
        if site.number:
            return self.program.calls[site.function, site.label, site.number - 1]
        return self.shapes[site.function].cuts[site.label].live

    def _state(self, run: Run) -> State:
        """The state that a step has come to, its heap in order."""
        state, lost = self._ordered(run, run.threads)
        if run.over:
            # What threads still point to is no leak, although they are gone now.
            state, _ = self._ordered(run, [None] * self.slots)
            variables = tuple(
                bytes(len(data)) if number in self._of_library else data
                for (number, _), data in zip(self._variables, state.variables, strict=True)
            )
            state = state._replace(over=run.over, variables=variables)
        return state._replace(leaked=self.leaks and lost)

    def _ordered(self, run: Run, standing: list[Thread | None]) -> tuple[State, bool]:
        """The state with these threads, and whether something was lost."""
        order = Renumbering(run.memory.objects)
        variables = tuple(order.data(run.memory.objects[number].data) for number, _ in self._variables)
        threads = tuple(None if each is None else self._saved(each, run, order) for each in standing)
        heap: list[HeapObject] = []
        while len(heap) < len(order.order):
            found = run.memory.objects[order.order[len(heap)]]
            heap.append(HeapObject(found.size, order.data(found.data) if found.alive else None, found.scratch))
        atomic = next((each.slot + 1 for each in standing if each is not None and each.depth), 0)
        return State(0, atomic, variables, threads, tuple(heap)), order.leaves_behind()

    def _saved(self, thread: Thread, run: Run, order: Renumbering) -> ThreadState:
        frames = []
        for frame in thread.frames:
            objects = []
            for name in frame.shape.objects:
                found = run.memory.objects[frame.number(name)]
                objects.append(order.data(found.data) if found.alive else None)
            # Who ends the program needs no register any more.
            live = () if run.over and frame is run.thread.top else self._live(frame.site)
            values = zip(live, frame.read(live), strict=True)
            registers = tuple(order.register(local.type, value) for local, value in values)
            frames.append(FrameState(frame.site, registers, tuple(objects)))
        return ThreadState(thread.depth, tuple(frames))


def _zero(kind: Type) -> Register:
    match kind:
        case Struct(_, elements):
            return tuple(map(_zero, elements))
        case Array(count, element) | Vector(count, element):
            return (_zero(element),) * count
    return 0
