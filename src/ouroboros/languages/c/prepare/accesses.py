"""Accesses to memory: which of them other threads may notice; none of them is for passes to touch."""

from __future__ import annotations

import re

from ouroboros.languages.c.prepare.editing import Edits
from ouroboros.languages.c.read.instructions import (
    Alloca,
    AtomicUpdate,
    Call,
    Cast,
    Compare,
    CompareExchange,
    ElementPointer,
    Freeze,
    Instruction,
    Invoke,
    Load,
    Phi,
    Select,
    Store,
    operands,
)
from ouroboros.languages.c.read.module import Function, Module
from ouroboros.languages.c.read.values import Expression, Global, IntegerConstant, Local, Value

COPIES = ("llvm.memcpy", "llvm.memmove", "llvm.memset")
_BORROWERS = (*COPIES, "llvm.lifetime", "__ouro_print", "__ouro_blocked", "__ouro_fail")
"""Functions that are given an address and do not keep it."""

_UNDEFINED = re.compile(r'(?<![%@\w."$-])(?:undef|poison)(?![\w.])')
_VOLATILE = re.compile(r"^(\s*(?:%\S+ = )?(?:load|store|atomicrmw)(?: atomic)?) (?!volatile)")
_EXCHANGE = re.compile(r"(= cmpxchg(?: weak)?) (?!volatile)")


def keep_accesses(edits: Edits) -> None:
    """All accesses stay as they are, but of constants; what is undefined is zero."""
    for _, _, instruction in edits.instructions():
        line = edits.lines[instruction.line]
        changed = _UNDEFINED.sub("zeroinitializer", line) if "undef" in line or "poison" in line else line
        match instruction:
            case Load(pointer) if _constant(pointer, edits.module):
                pass
            case Load() | Store() | AtomicUpdate():
                changed = _VOLATILE.sub(r"\1 volatile ", changed)
            case CompareExchange():
                changed = _EXCHANGE.sub(r"\1 volatile ", changed)
            case Call(Global(name)) if name.startswith(COPIES):
                changed = changed.replace("i1 false)", "i1 true)")
        if changed != line:
            edits.replace(instruction.line, changed)


def forget_unread(edits: Edits) -> None:
    """What the library writes and nobody reads is not written: results of threads that nobody asks for."""
    written: dict[str, list[int]] = {name: [] for name in edits.module.variables if name.startswith("__ouro_")}
    for function in edits.bodies():
        sharing = Sharing(function, edits.module)
        for block in function.blocks:
            for each in block.instructions:
                if isinstance(each, Store) and not sharing.roots(each.value) & {f"@{name}" for name in written}:
                    for root in sharing.roots(each.pointer):
                        written.get(root[1:], []).append(each.line)
                elif not isinstance(each, ElementPointer | Phi | Select):
                    for value in operands(each):
                        for root in sharing.roots(value):
                            written.pop(root[1:], None)
    for lines in written.values():
        for line in lines:
            edits.replace(line)


def _constant(pointer: Value, module: Module) -> bool:
    """Whether this is a known place in something that never changes."""
    match pointer:
        case Global(name):
            return name in module.variables and module.variables[name].constant
        case Expression("getelementptr", _, (Global() as base, *indices)):
            return _constant(base, module) and all(isinstance(index, IntegerConstant) for index in indices)
    return False


class Sharing:
    """Of one function: which addresses other threads, or other functions, may know of."""

    def __init__(self, function: Function, module: Module) -> None:
        self._module = module
        self._defined: dict[str, Instruction] = {
            instruction.result: instruction
            for block in function.blocks
            for instruction in block.instructions
            if instruction.result is not None
        }
        self._escaped = self._find_escaped(function)

    def visible(self, instruction: Instruction) -> bool:
        """Whether another thread may notice this access, or be noticed by it."""
        match instruction:
            case Load(pointer):
                return self._shared(pointer, read=True)
            case Store(_, pointer) | AtomicUpdate(_, pointer) | CompareExchange(pointer):
                return self._shared(pointer, read=False)
            case Call(Global(name), arguments) if name.startswith("llvm.memset"):
                return self._shared(arguments[0], read=False)
            case Call(Global(name), arguments) if name.startswith(COPIES):
                return self._shared(arguments[0], read=False) or self._shared(arguments[1], read=True)
        return False

    def _shared(self, pointer: Value, *, read: bool) -> bool:
        return any(self._known_elsewhere(root, read) for root in self.roots(pointer))

    def _known_elsewhere(self, root: str, read: bool) -> bool:
        if root.startswith("@"):
            variable = self._module.variables.get(root[1:])
            return not (read and variable is not None and variable.constant)
        instruction = self._defined.get(root)
        return not isinstance(instruction, Alloca) or root in self._escaped

    def roots(self, pointer: Value) -> frozenset[str]:
        """The objects into which a pointer may point: names of registers, those of variables with an @; "?" is any."""
        match pointer:
            case Local(name):
                return self._roots_of(name)
            case Global(name):
                return frozenset({"@" + name})
            case Expression("getelementptr", _, (base, *_)):
                return self.roots(base)
        return frozenset({"?"})

    def _roots_of(self, name: str) -> frozenset[str]:
        """Through phis in circles: everything that is reached counts once."""
        found: set[str] = set()
        seen, waiting = {name}, [name]
        while waiting:
            instruction = self._defined.get(waiting.pop())
            match instruction:
                case ElementPointer(_, pointer):
                    following: tuple[Value, ...] = (pointer,)
                case Cast("bitcast" | "addrspacecast", operand) | Freeze(operand):
                    following = (operand,)
                case Select(_, then, otherwise):
                    following = (then, otherwise)
                case Phi(incoming):
                    following = tuple(value for value, _ in incoming)
                case Alloca() | Call():
                    found.add(instruction.result or "?")
                    continue
                case _:
                    found.add("?")
                    continue
            for value in following:
                if isinstance(value, Local):
                    if value.name not in seen:
                        seen.add(value.name)
                        waiting.append(value.name)
                else:
                    found |= self.roots(value)
        return frozenset(found)

    def _find_escaped(self, function: Function) -> set[str]:
        """Allocas whose addresses are kept somewhere, or given to others."""
        escaped: set[str] = set()
        for block in function.blocks:
            for instruction in block.instructions:
                for value in self._given_away(instruction):
                    escaped |= self.roots(value)
        return escaped

    @staticmethod
    def _given_away(instruction: Instruction) -> tuple[Value, ...]:
        match instruction:
            case Load() | ElementPointer() | Freeze() | Phi() | Select():
                return ()
            case Cast("bitcast" | "addrspacecast"):
                return ()
            case Store(value) | AtomicUpdate(_, _, value):
                return (value,)
            case CompareExchange(_, expected, replacement):
                return expected, replacement
            case Call(Global(name)) if name.startswith(_BORROWERS):
                return ()
            case Call(_, arguments) | Invoke(_, arguments):
                return arguments
            case Compare():
                return ()
        return operands(instruction)
