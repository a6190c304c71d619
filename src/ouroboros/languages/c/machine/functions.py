"""The code of one function of a program: where a frame stands goes in, the instructions up to the next cut are made.

Every register that is needed in another block than the one that defines it has a cell on the stack of the machine
code, which LLVM turns into registers again: so a step can begin at every cut.
"""

from __future__ import annotations

from contextlib import suppress

from ouroboros.languages.c.machine.accesses import emit_access
from ouroboros.languages.c.machine.arithmetic import emit_arithmetic
from ouroboros.languages.c.machine.context import Context
from ouroboros.languages.c.machine.failures import BAD_CALL, ENDLESS, UNREACHABLE, UNSUPPORTED
from ouroboros.languages.c.machine.frames import call, give_back, restore, result_of_call, stop
from ouroboros.languages.c.machine.layout import Site, StateLayout
from ouroboros.languages.c.machine.primitives import emit_primitive
from ouroboros.languages.c.machine.stepping import run_function
from ouroboros.languages.c.machine.unit import DEPTH, FUEL, NOTICED, NotSupported, Unit, bits, load_word, store_word
from ouroboros.languages.c.pointers import OFFSET_BITS
from ouroboros.languages.c.program import is_noticed
from ouroboros.languages.c.read.instructions import (
    Alloca,
    Branch,
    Call,
    Fence,
    Instruction,
    Jump,
    Phi,
    Return,
    Switch,
    Unreachable,
    operands,
)
from ouroboros.languages.c.read.module import Block as SourceBlock
from ouroboros.languages.c.read.module import Function
from ouroboros.languages.c.read.types import FunctionType, Type
from ouroboros.languages.c.read.values import Global, InlineAssembly, IntegerConstant, Local
from ouroboros.native.types import I1, I32, I64, Block, Value, constant


def emit_function(unit: Unit, source: Function) -> None:
    """Define the code of a function."""
    _Emitter(unit, source).emit()


class _Emitter:
    def __init__(self, unit: Unit, source: Function) -> None:
        self.unit, self.layout, self.source = unit, unit.layout, source
        self.context = Context(unit, source, run_function(unit, source.name))
        self.code = self.context.code
        self.blocks: dict[str, Block] = {block.label: self.code.block() for block in source.blocks}
        """Where a block begins, for those who jump there."""
        self.bodies: dict[str, Block] = {
            label: self.code.block() for name, label in self.layout.cuts if name == source.name
        }
        """What follows a cut."""
        self.phis = {
            block.label: [each for each in block.instructions if isinstance(each, Phi)] for block in source.blocks
        }
        self.resumed: list[tuple[Site, Block]] = []
        """Sites, and where they go on."""
        for name, kind in needs_of_cells(source, self.layout).items():
            # Where a type has no machine code, whoever needs the value finds none.
            with suppress(NotSupported):
                self.context.cells[name] = self.context.cell(kind)

    def emit(self) -> None:
        dispatch = self.code.block()
        self.code.at.branch(dispatch)
        self._resume(self.layout.entries[self.source.name], self.blocks[self.source.blocks[0].label])
        for label, body in self.bodies.items():
            self._resume(self.layout.cuts[self.source.name, label], body)
        for block in self.source.blocks:
            self._block(block)
        self.code.enter(dispatch)
        lost = self.code.block()
        switch = self.code.at.switch(bits(self.code, self.context.about, 0, 16), lost)
        for site, target in self.resumed:
            switch.add_case(constant(I64, site.number), target)
        self.code.enter(lost)
        self.code.at.unreachable()
        for each in self.code.function.blocks[1:]:
            if each.terminator is None:
                self.code.enter(each)
                self.code.at.unreachable()
        self.code.finish()

    def _resume(self, site: Site, target: Block) -> None:
        """Code that goes on at a site."""
        where = self.code.block()
        self.code.enter(where)
        self._restore(site)
        self.code.at.branch(target)
        self.resumed.append((site, where))

    def _restore(self, site: Site) -> None:
        try:
            restore(self.context, site)
        except NotSupported as reason:
            self.context.fail(UNSUPPORTED, str(reason))

    def _block(self, block: SourceBlock) -> None:
        self.code.enter(self.blocks[block.label])
        self.context.values = {}
        self.context.label, self.context.index = block.label, 0
        body = self.bodies.get(block.label)
        if body is not None:
            self._cut(block, body)
            self.code.enter(body)
            if is_noticed(block.instructions[0]):
                store_word(self.code, self.context.record, NOTICED, 1)
        self._burn(len(block.instructions))
        for index, instruction in enumerate(block.instructions):
            self.context.index, self.context.instruction = index, instruction
            try:
                self._instruction(block, index, instruction)
            except NotSupported as reason:
                self.context.fail(UNSUPPORTED, str(reason))
                return

    def _cut(self, block: SourceBlock, body: Block) -> None:
        """The step ends here, unless it is inside of an atomic section and there is nothing to choose."""
        at = self.code.at
        depth = load_word(self.code, self.context.record, DEPTH)
        ends = at.icmp_unsigned("==", depth, constant(I64, 0))
        match block.instructions[0]:
            case Call(Global("__ouro_choose" | "__ouro_sample")):
                ends = constant(I1, 1)
            case Call(Global("__ouro_drop")):
                noticed = load_word(self.code, self.context.record, NOTICED)
                ends = at.and_(ends, at.icmp_unsigned("!=", noticed, constant(I64, 0)))
            case Call(Global("__ouro_begin"), (IntegerConstant(_, count), *_)):
                ends = constant(I1, 1) if count > 1 else ends
            case Call(Global("__ouro_begin"), (count, *_)):
                value = self.context.value(count)
                ends = at.or_(ends, at.icmp_signed(">", value, constant(value.type, 1)))
        here = self.code.block()
        at.cbranch(ends, here, body)
        self.code.enter(here)
        try:
            stop(self.context, self.layout.cuts[self.source.name, block.label])
        except NotSupported as reason:
            self.context.fail(UNSUPPORTED, str(reason))

    def _burn(self, count: int) -> None:
        """So many instructions are made; there is an end to them in one step."""
        at = self.code.at
        fuel = at.sub(load_word(self.code, self.context.record, FUEL), constant(I64, count))
        store_word(self.code, self.context.record, FUEL, fuel)
        self.context.require(at.icmp_signed(">", fuel, constant(I64, 0)), ENDLESS)

    def _instruction(self, block: SourceBlock, index: int, instruction: Instruction) -> None:
        context, at = self.context, self.code.at
        if emit_access(context, instruction) or emit_arithmetic(context, instruction):
            return
        match instruction:
            case Phi() | Fence():
                pass
            case Alloca(_, count):
                if not isinstance(count, IntegerConstant):
                    raise NotSupported("an array of variable length")
            case Call():
                self._call(block, index, instruction)
            case Jump(target):
                at.branch(self._edge(block, target))
            case Branch(condition, then, otherwise):
                chosen = context.value(condition)
                at.cbranch(chosen, self._edge(block, then), self._edge(block, otherwise))
            case Switch(value, default, cases):
                number = context.value(value)
                switch = at.switch(number, self._edge(block, default))
                for case, label in cases:
                    switch.add_case(constant(number.type, case), self._edge(block, label))
            case Return(value):
                result = None if value is None else context.value(value)
                give_back(context, result, self.source.signature.result)
            case Unreachable():
                context.fail(UNREACHABLE)
            case _:
                raise NotSupported(f"the instruction {type(instruction).__name__}")

    def _edge(self, block: SourceBlock, label: str) -> Block:
        """The way from a block to another one, on which the values that arrive there are chosen."""
        target = self.blocks[label]
        phis = self.phis[label]
        if not phis:
            return target
        current = self.code.at.block
        edge = self.code.block()
        self.code.enter(edge)
        arriving = [next(value for value, source in phi.incoming if source == block.label) for phi in phis]
        try:
            values = [self.context.value(each) for each in arriving]
        except NotSupported as reason:
            self.context.fail(UNSUPPORTED, str(reason))
        else:
            for phi, value in zip(phis, values, strict=True):
                self.context.define(phi.result, value)
            self.code.at.branch(target)
        self.code.enter(current)
        return edge

    def _call(self, block: SourceBlock, index: int, instruction: Call) -> None:
        callee = instruction.callee
        functions = self.layout.module.functions
        while isinstance(callee, Global) and callee.name in self.layout.module.aliases:
            callee = self.layout.module.aliases[callee.name]
        if isinstance(callee, Global) and callee.name not in functions:
            self.context.fail(BAD_CALL)
            return
        if isinstance(callee, Global) and not functions[callee.name].blocks:
            emit_primitive(self.context, instruction, callee.name)
            return
        if isinstance(callee, InlineAssembly):
            raise NotSupported("inline assembly")
        site = self.layout.calls[self.source.name, block.label, index]
        arguments = [self.context.value(each) for each in instruction.arguments]
        if isinstance(callee, Global):
            self._call_known(site, callee.name, instruction.signature, arguments)
        else:
            self._call_through(site, self.context.value(callee), instruction.signature, arguments)
        after = self.code.block()
        self.code.enter(after)
        self.resumed.append((site, after))
        self._restore(site)
        self.context.define(instruction.result, result_of_call(self.context, instruction.type))

    def _call_known(self, site: Site, name: str, signature: FunctionType, arguments: list[Value]) -> None:
        target = self.layout.module.functions[name].signature
        if target.variadic:
            raise NotSupported(f"a call of {name}, which has any number of parameters")
        if target.parameters != signature.parameters:
            self.context.fail(BAD_CALL, f"{name} has other parameters")
            return
        call(self.context, site, name, arguments)

    def _call_through(self, site: Site, pointer: Value, signature: FunctionType, arguments: list[Value]) -> None:
        """Which function it is shows when it happens."""
        at = self.code.at
        start = at.icmp_unsigned("==", at.trunc(pointer, I32), constant(I32, 0))
        self.context.require(start, BAD_CALL)
        bad = self.code.block()
        switch = at.switch(at.lshr(pointer, constant(I64, OFFSET_BITS)), bad)
        for name in self.layout.frames:
            target = self.layout.module.functions[name].signature
            if target == signature:
                there = self.code.block()
                switch.add_case(constant(I64, self.layout.constants.numbers[name]), there)
                self.code.enter(there)
                call(self.context, site, name, arguments)
        self.code.enter(bad)
        self.context.fail(BAD_CALL)


def needs_of_cells(source: Function, layout: StateLayout) -> dict[str, Type]:
    """The registers that more than one block needs, or that a call comes between."""
    home: dict[str, str] = {}
    types = {local.name: local.type for local in source.parameters}
    shared = set(types)
    for block in source.blocks:
        calls = any((source.name, block.label, index) in layout.calls for index in range(len(block.instructions)))
        for each in block.instructions:
            if each.result is not None:
                home[each.result] = block.label
                types[each.result] = each.type
                if calls or isinstance(each, Phi):
                    shared.add(each.result)
    for block in source.blocks:
        for each in block.instructions:
            # What arrives at a phi is needed where it comes from.
            used = each.incoming if isinstance(each, Phi) else [(operand, block.label) for operand in operands(each)]
            shared |= {
                value.name for value, label in used if isinstance(value, Local) and home.get(value.name) != label
            }
    for key, site in [*layout.cuts.items(), *layout.calls.items()]:
        if key[0] == source.name:
            shared |= {register.local.name for register in site.registers}
    return {name: types[name] for name in shared if name not in layout.frames[source.name].objects}
