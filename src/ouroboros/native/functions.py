"""A function under construction, and the way out of it when the model fails."""

from __future__ import annotations

from llvmlite import ir

from ouroboros.native.types import I1, I64, Block, Builder, IntType, Value, constant, plain_pointer


class _Numbers:
    """Names for the values of a function, by number: llvmlite's own naming takes a fifth of the time to build one."""

    def __init__(self) -> None:
        self._last = 0

    def register(self, name: str, deduplicate: bool = False) -> str:
        self._last += 1
        return f"{name}{self._last}"


class _Block(ir.Block):  # type: ignore[misc]  # llvmlite carries no types
    """A block that is written as it is: llvmlite would keep the text of every instruction, and take twice as long."""

    def descr(self, lines: list[str]) -> None:
        lines.append(f"{self._format_name()}:\n")
        for instruction in self.instructions:
            if not isinstance(instruction.type, ir.VoidType):
                lines.append(f"{instruction.get_reference()} = ")
            instruction.descr(lines)
            if isinstance(instruction, ir.AllocaInstr):
                # The only one that does not end its line; a word may follow its type.
                lines.append("\n")


class FunctionBuilder:
    """Appends code to a function; what all of its code shares goes to the entry block, which dominates everything."""

    def __init__(self, function: Value) -> None:
        self.function = function
        function.scope = _Numbers()
        self._entry: Builder = ir.IRBuilder(self.block())
        self._body = self.block()
        self.at: Builder = ir.IRBuilder(self._body)
        self._word_addresses: dict[tuple[Value, int], Value] = {}

    def block(self) -> Block:
        block = _Block(self.function)
        self.function.blocks.append(block)
        return block

    def enter(self, block: Block) -> None:
        self.at.position_at_end(block)

    def variable(self, kind: IntType, value: Value) -> Value:
        """A stack cell that starts with a value; LLVM turns it into registers."""
        cell = self._entry.alloca(kind)
        self._entry.store(value, cell)
        return cell

    def cell(self, kind: Value) -> Value:
        """Stack memory for a value of any type, with no value yet."""
        return plain_pointer(self._entry.alloca(kind))

    def array(self, kind: IntType, length: int) -> Value:
        """Stack cells with no values yet."""
        return self._entry.alloca(ir.ArrayType(kind, length))

    def word_address(self, argument: Value, word: int) -> Value:
        """The address of a word of a vector that the caller passed."""
        if word == 0:
            return argument
        known = self._word_addresses.get((argument, word))
        if known is None:
            known = self._entry.gep(argument, [constant(I64, word)], inbounds=True, source_etype=I64)
            self._word_addresses[argument, word] = known
        return known

    def finish(self) -> None:
        """Must be called once, when all code is written."""
        self._entry.branch(self._body)


class FailureExit:
    """Where the evaluation of one guard, effect or proposition goes when it fails, from many sites to one block."""

    def __init__(self, function: FunctionBuilder) -> None:
        self._function = function
        self._block: Block | None = None
        self._arrivals: list[tuple[int | Value, Block]] = []

    def leave_unless(self, condition: Value, site: int | Value) -> None:
        """Fail at the site unless the condition holds; the code that follows may rely on it."""
        proceed = self._function.block()
        branch = self._function.at.cbranch(condition, proceed, self._arrive(site))
        branch.set_weights([1000, 1])
        self._function.enter(proceed)

    def leave(self, site: int) -> None:
        """Fail here, always; the code that follows is unreachable."""
        self.leave_unless(constant(I1, 0), site)

    def enter(self) -> Value | None:
        """Go on at the exit, with the site of the failure; None if nothing can fail."""
        if self._block is None:
            return None
        self._function.enter(self._block)
        sites = {site for site, _ in self._arrivals}
        if len(sites) == 1 and isinstance(site := sites.pop(), int):
            return constant(I64, site)
        merged = self._function.at.phi(I64)
        for site, block in self._arrivals:
            merged.add_incoming(constant(I64, site) if isinstance(site, int) else site, block)
        return merged

    def _arrive(self, site: int | Value) -> Block:
        if self._block is None:
            self._block = self._function.block()
        self._arrivals.append((site, self._function.at.block))
        return self._block
