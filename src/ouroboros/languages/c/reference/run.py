"""One step of one thread: instruction by instruction, to the next cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ouroboros.languages.c.pointers import MOST_DEPTH, object_of, offset_of, pointer
from ouroboros.languages.c.program import is_noticed
from ouroboros.languages.c.read import instructions as ir
from ouroboros.languages.c.read.types import FunctionType, Type
from ouroboros.languages.c.read.values import Global, Local, Value
from ouroboros.languages.c.reference import arithmetic, computing
from ouroboros.languages.c.reference.failure import Failed, Finished
from ouroboros.languages.c.reference.memory import Memory, Object, Register
from ouroboros.languages.c.reference.threads import Frame, Thread

if TYPE_CHECKING:
    from ouroboros.languages.c.reference.interpreter import Reference

OVERFLOW_OF_STACK, UNREACHABLE, ENDLESS, BAD_CALL, UNSUPPORTED = 17, 13, 14, 21, 24
MOST_INSTRUCTIONS = 1_000_000
"""Of one step: more of them will never come to an end."""


class Access(NamedTuple):
    """What a step does to memory."""

    slot: int
    instruction: ir.Instruction
    pointer: int
    size: int
    writes: bool
    atomic: bool
    inside: bool
    """Whether it is made in an atomic section."""


class Run:
    """What a step changes: memory and threads, apart from the state in which it begins."""

    def __init__(self, reference: Reference, memory: Memory, threads: list[Thread | None], choice: int) -> None:
        self.reference = reference
        self.memory = memory
        self.threads = threads
        self.choice = choice
        """The outcome that is wanted of the first thing that can be chosen."""
        self.ways = 1
        self.noticed = False
        """Whether the step did what others may notice."""
        self.over = 0
        self.output: list[str] = []
        self.accesses: list[Access] | None = None
        """What was done to memory, where somebody wants to know."""
        self._left = MOST_INSTRUCTIONS
        self.thread: Thread
        self._execute: dict[type, Callable[[Any], None]] = {
            ir.Binary: self._binary,
            ir.Unary: self._unary,
            ir.Compare: self._compare,
            ir.Cast: self._cast,
            ir.Select: self._select,
            ir.Freeze: self._freeze,
            ir.ElementPointer: self._element_pointer,
            ir.Alloca: self._alloca,
            ir.Load: self._load,
            ir.Store: self._store,
            ir.AtomicUpdate: self._update,
            ir.CompareExchange: self._exchange,
            ir.ExtractValue: self._extract,
            ir.InsertValue: self._insert,
            ir.ExtractElement: self._extract_element,
            ir.InsertElement: self._insert_element,
            ir.Shuffle: self._shuffle,
            ir.Call: self._call,
            ir.Invoke: self._call,
            ir.Jump: lambda each: self.jump(each.target),
            ir.Branch: lambda each: self.jump(each.then if self.value(each.condition) else each.otherwise),
            ir.Switch: self._switch,
            ir.Return: self._return,
            ir.Unreachable: self._unreachable,
            ir.Fence: lambda each: None,
            ir.Phi: lambda each: None,
        }

    # How it goes on.

    def advance(self, thread: Thread) -> None:
        """A thread to its next cut, or to its end."""
        before, self.thread = getattr(self, "thread", thread), thread
        try:
            while not self._stands(thread):
                self._one(thread.top)
        except Finished:
            pass
        self.thread = before

    def first(self, thread: Thread) -> None:
        """The instruction at which a thread stands at a cut, and all that follows in the step."""
        self.thread = thread
        frame = thread.top
        label = frame.block.label
        try:
            while frame is thread.top and frame.block.label == label and frame.index == 0:
                self._one(frame)
        except Finished:
            return
        self.advance(thread)

    def _stands(self, thread: Thread) -> bool:
        """Whether the step of the thread ends where it is."""
        frame = thread.top
        if frame.index or frame.block.label not in frame.shape.cuts:
            return False
        first = frame.block.instructions[0]
        match first:
            case ir.Call(Global("__ouro_drop")):
                return thread.depth == 0 and self.noticed
        return thread.depth == 0 or self._chooses(first)

    def _chooses(self, instruction: ir.Instruction) -> bool:
        match instruction:
            case ir.Call(Global("__ouro_choose" | "__ouro_sample")):
                return True
            case ir.Call(Global("__ouro_begin"), (ways,)):
                count = self.value(ways)
                return isinstance(count, int) and arithmetic.signed(count, 32) > 1
        return False

    def _one(self, frame: Frame) -> None:
        self._left -= 1
        if self._left < 0:
            raise Failed(ENDLESS)
        instruction = frame.block.instructions[frame.index]
        if not frame.index and frame.block.label in frame.shape.cuts:
            self.noticed |= is_noticed(instruction)
        execute = self._execute.get(type(instruction))
        if execute is None:
            raise Failed(UNSUPPORTED, f"the instruction {type(instruction).__name__}")
        frame.index += 1
        try:
            execute(instruction)
        except Failed:
            frame.index -= 1
            raise

    def jump(self, label: str) -> None:
        """To another block, where all phis take their values at once."""
        frame = self.thread.top
        origin = frame.block.label
        block = frame.shape.blocks[label]
        arriving: list[tuple[str, Register]] = []
        count = 0
        for instruction in block.instructions:
            if not isinstance(instruction, ir.Phi):
                break
            value = next(value for value, source in instruction.incoming if source == origin)
            arriving.append((instruction.result or "", self.value(value)))
            count += 1
        frame.registers.update(arriving)
        frame.block, frame.index = block, count

    # Values.

    def value(self, value: Value) -> Register:
        if type(value) is Local:
            frame = self.thread.top
            if value.name in frame.shape.objects:
                return pointer(frame.number(value.name))
            return frame.registers[value.name]
        return self.reference.constant(value)

    def integer(self, value: Value) -> int:
        found = self.value(value)
        assert isinstance(found, int)
        return found

    def _set(self, instruction: ir.Instruction, value: Register) -> None:
        if instruction.result is not None:
            self.thread.top.registers[instruction.result] = value

    # Computation.

    def _binary(self, each: ir.Binary) -> None:
        checked = "nsw" in each.flags
        self._set(
            each, computing.binary(each.opcode, each.type, self.value(each.left), self.value(each.right), checked)
        )

    def _unary(self, each: ir.Unary) -> None:
        self._set(each, computing.negate(each.type, self.value(each.operand)))

    def _compare(self, each: ir.Compare) -> None:
        left, right = self.value(each.left), self.value(each.right)
        self._set(each, computing.compare(each.predicate, each.left.type, left, right))

    def _cast(self, each: ir.Cast) -> None:
        self._set(each, computing.cast(each.opcode, each.operand.type, each.type, self.value(each.operand)))

    def _select(self, each: ir.Select) -> None:
        condition = self.value(each.condition)
        if isinstance(condition, tuple):
            then, otherwise = self.value(each.then), self.value(each.otherwise)
            assert isinstance(then, tuple)
            assert isinstance(otherwise, tuple)
            self._set(each, tuple(a if c else b for c, a, b in zip(condition, then, otherwise, strict=True)))
        else:
            self._set(each, self.value(each.then if condition else each.otherwise))

    def _freeze(self, each: ir.Freeze) -> None:
        self._set(each, self.value(each.operand))

    def _element_pointer(self, each: ir.ElementPointer) -> None:
        layout = self.reference.program.module.layout
        steps = [arithmetic.signed(self.integer(index), layout.bits(index.type)) for index in each.indices]
        offset = self.reference.constants.offset(each.source, steps)
        self._set(each, (self.integer(each.pointer) + offset) % (1 << 64))

    def _extract(self, each: ir.ExtractValue) -> None:
        value = self.value(each.aggregate)
        for index in each.indices:
            assert isinstance(value, tuple)
            value = value[index]
        self._set(each, value)

    def _insert(self, each: ir.InsertValue) -> None:
        whole, element = self.value(each.aggregate), self.value(each.element)
        self._set(each, computing.with_part(whole, each.indices, element))

    def _extract_element(self, each: ir.ExtractElement) -> None:
        self._set(each, computing.part(self.value(each.vector), self.integer(each.index)))

    def _insert_element(self, each: ir.InsertElement) -> None:
        element, index = self.value(each.element), self.integer(each.index)
        self._set(each, computing.with_part(self.value(each.vector), (index,), element))

    def _shuffle(self, each: ir.Shuffle) -> None:
        left, right, mask = (self.value(value) for value in (each.left, each.right, each.mask))
        assert isinstance(left, tuple)
        assert isinstance(right, tuple)
        assert isinstance(mask, tuple)
        both = left + right
        self._set(each, tuple(both[index] for index in mask if isinstance(index, int)))

    # Memory.

    def _alloca(self, each: ir.Alloca) -> None:
        """Variables are there from the beginning of their frame."""

    def note(self, each: ir.Instruction, pointer: int, size: int, *, writes: bool, atomic: bool) -> None:
        """An access was made; what the library does in sections of its own is none."""
        inside = self.thread.depth > 0
        if self.accesses is not None and size and not (inside and self.reference.in_library(each.location)):
            self.accesses.append(Access(self.thread.slot, each, pointer, size, writes, atomic or inside, inside))

    def _note(self, each: ir.Instruction, pointer: int, kind: Type, *, writes: bool, atomic: bool) -> None:
        if self.accesses is not None:
            size = self.reference.program.module.layout.store_size(kind)
            self.note(each, pointer, size, writes=writes, atomic=atomic)

    def _load(self, each: ir.Load) -> None:
        address, atomic = self.integer(each.pointer), each.ordering is not None
        self._set(each, self.memory.load(address, each.type, atomic=atomic))
        self._note(each, address, each.type, writes=False, atomic=atomic)

    def _store(self, each: ir.Store) -> None:
        address, value, atomic = self.integer(each.pointer), self.value(each.value), each.ordering is not None
        self.memory.store(address, each.value.type, value, atomic=atomic)
        self._note(each, address, each.value.type, writes=True, atomic=atomic)

    def _update(self, each: ir.AtomicUpdate) -> None:
        address, operand = self.integer(each.pointer), self.value(each.value)
        before = self.memory.load(address, each.type, atomic=True)
        after = computing.updated(each.operation, each.type, before, operand)
        self.memory.store(address, each.type, after, atomic=True)
        self._note(each, address, each.type, writes=True, atomic=True)
        self._set(each, before)

    def _exchange(self, each: ir.CompareExchange) -> None:
        address, kind = self.integer(each.pointer), each.expected.type
        before = self.memory.load(address, kind, atomic=True)
        same = before == self.value(each.expected)
        # The memory must be writable whether or not it is written.
        self.memory.store(address, kind, self.value(each.replacement) if same else before, atomic=True)
        self._note(each, address, kind, writes=True, atomic=True)
        self._set(each, (before, int(same)))

    # Control.

    def _switch(self, each: ir.Switch) -> None:
        value = self.value(each.value)
        self.jump(next((label for case, label in each.cases if case == value), each.default))

    def _unreachable(self, each: ir.Unreachable) -> None:
        raise Failed(UNREACHABLE)

    def _call(self, call: ir.Call | ir.Invoke) -> None:
        module = self.reference.program.module
        callee = call.callee
        while isinstance(callee, Global) and callee.name in module.aliases:
            callee = module.aliases[callee.name]
        known = module.functions.get(callee.name) if isinstance(callee, Global) else None
        if known is not None and not known.blocks:
            assert isinstance(callee, Global)
            result = self.reference.primitives.call(self, call, callee.name)
            if result is not None:
                self._set(call, result)
            if isinstance(call, ir.Invoke):
                self.jump(call.normal)
            return
        name = self._function(callee, call.signature) if known is None else known.name
        if module.functions[name].signature.parameters != call.signature.parameters:
            raise Failed(BAD_CALL, f"{name} has other parameters")
        self.push(self.thread, name, [self.value(each) for each in call.arguments])

    def _function(self, callee: Value, signature: FunctionType) -> str:
        """Where a pointer to a function leads."""
        value = self.value(callee)
        if isinstance(value, int) and offset_of(value) == 0:
            name = self.reference.function_names.get(object_of(value))
            if name is not None and self.reference.program.module.functions[name].signature == signature:
                return name
        raise Failed(BAD_CALL)

    def push(self, thread: Thread, name: str, arguments: list[Register]) -> None:
        """A frame of a function on top of a thread."""
        shape = self.reference.shapes[name]
        level = len(thread.frames)
        if level >= MOST_DEPTH:
            raise Failed(OVERFLOW_OF_STACK)
        frame = Frame(shape, thread.slot, level, shape.function.blocks[0])
        frame.registers = {local.name: value for local, value in zip(shape.function.parameters, arguments, strict=True)}
        layout = self.reference.program.module.layout
        for object_name, (_, kind, count) in shape.objects.items():
            self.memory.objects[frame.number(object_name)] = Object(bytearray(layout.size(kind) * count))
        for object_name in self.reference.scoped[name]:
            self.memory.objects[frame.number(object_name)].alive = False
        thread.frames.append(frame)

    def _return(self, each: ir.Return) -> None:
        value = None if each.value is None else self.value(each.value)
        thread = self.thread
        self.drop_frame(thread)
        if not thread.frames:
            raise Failed(UNSUPPORTED, "the end of a thread's first function")
        frame = thread.top
        call = frame.block.instructions[frame.index - 1]
        if value is not None:
            self._set(call, value)
        if isinstance(call, ir.Invoke):
            self.jump(call.normal)

    def drop_frame(self, thread: Thread) -> None:
        frame = thread.frames.pop()
        for name in frame.shape.objects:
            del self.memory.objects[frame.number(name)]
