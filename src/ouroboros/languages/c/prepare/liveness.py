"""Which registers may still be read."""

from __future__ import annotations

from ouroboros.languages.c.read.instructions import Alloca, Call, Instruction, Invoke, Phi, operands, successors
from ouroboros.languages.c.read.module import Block, Function
from ouroboros.languages.c.read.values import Aggregate, Expression, Global, IntegerConstant, Local, Value


class Liveness:
    """Backward over the blocks of one function, until nothing changes."""

    def __init__(self, function: Function) -> None:
        self.function = function
        entry = function.blocks[0]
        self._objects = {
            instruction.result
            for instruction in entry.instructions
            if isinstance(instruction, Alloca) and isinstance(instruction.count, IntegerConstant)
        }
        """Static allocas: their addresses are known from the frame."""
        self._blocks = {block.label: block for block in function.blocks}
        self._begin: dict[str, frozenset[Local]] = {label: frozenset() for label in self._blocks}
        self._solve()

    def at_begin(self, label: str) -> frozenset[Local]:
        """What is live where a block begins, after its phis."""
        return self._begin[label]

    def after(self, block: Block, index: int) -> frozenset[Local]:
        """What is live after an instruction, its own result included."""
        live = self._end(block)
        for instruction in reversed(block.instructions[index + 1 :]):
            live = self._before(instruction, live)
        return live

    def _end(self, block: Block) -> frozenset[Local]:
        live: set[Local] = set()
        for label in successors(block.instructions[-1]):
            target = self._blocks[label]
            results = {instruction.result for instruction in target.instructions if isinstance(instruction, Phi)}
            live |= {local for local in self._begin[label] if local.name not in results}
            for value in self._carried(target, block.label):
                live |= self._read(value)
        return frozenset(live)

    @staticmethod
    def _carried(target: Block, origin: str) -> list[Value]:
        """What the phis of a block take from one of its predecessors."""
        return [
            value
            for instruction in target.instructions
            if isinstance(instruction, Phi)
            for value, label in instruction.incoming
            if label == origin
        ]

    def _before(self, instruction: Instruction, live: frozenset[Local]) -> frozenset[Local]:
        if isinstance(instruction, Phi):
            return live
        left = frozenset(local for local in live if local.name != instruction.result)
        read: set[Local] = set()
        for value in operands(instruction):
            read |= self._read(value)
        return left | read

    def _read(self, value: Value) -> set[Local]:
        match value:
            case Local(name):
                return set() if name in self._objects else {value}
            case Expression(_, _, inner) | Aggregate(_, inner):
                return {local for each in inner for local in self._read(each)}
        return set()

    def _solve(self) -> None:
        changed = True
        while changed:
            changed = False
            for block in reversed(self.function.blocks):
                live = self._end(block)
                for instruction in reversed(block.instructions):
                    live = self._before(instruction, live)
                if live != self._begin[block.label]:
                    self._begin[block.label] = live
                    changed = True


def leaves_frame(instruction: Instruction, defined: frozenset[str]) -> bool:
    """Whether this is a call that was not inlined: of a function of the program, or of whatever a pointer tells."""
    if not isinstance(instruction, Call | Invoke):
        return False
    return not isinstance(instruction.callee, Global) or instruction.callee.name in defined
