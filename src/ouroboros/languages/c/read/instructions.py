"""The instructions of LLVM IR, one class for each shape."""

from __future__ import annotations

from dataclasses import dataclass

from ouroboros.languages.c.read.types import FunctionType, Type
from ouroboros.languages.c.read.values import Value


@dataclass(slots=True, eq=False)
class DebugRecord:
    """From here on, a variable of the source is found in this value, or at this address; or a label of it is here."""

    kind: str
    """declare, value, assign or label."""
    value: Value
    variable: int
    """The node that describes it."""
    expression: str
    location: int


@dataclass(slots=True, eq=False, kw_only=True)
class Instruction:
    result: str | None
    type: Type
    """Of the result."""
    location: int | None = None
    """The number of its place in the metadata."""
    line: int = 0
    """Of the text that was read, counted from zero."""
    records: tuple[DebugRecord, ...] = ()
    """What becomes true of variables just before it."""


@dataclass(slots=True, eq=False)
class Binary(Instruction):
    opcode: str
    left: Value
    right: Value
    flags: frozenset[str]


@dataclass(slots=True, eq=False)
class Unary(Instruction):
    opcode: str
    operand: Value


@dataclass(slots=True, eq=False)
class Compare(Instruction):
    opcode: str
    """icmp or fcmp."""
    predicate: str
    left: Value
    right: Value


@dataclass(slots=True, eq=False)
class Cast(Instruction):
    opcode: str
    operand: Value


@dataclass(slots=True, eq=False)
class Select(Instruction):
    condition: Value
    then: Value
    otherwise: Value


@dataclass(slots=True, eq=False)
class Freeze(Instruction):
    operand: Value


@dataclass(slots=True, eq=False)
class Phi(Instruction):
    incoming: tuple[tuple[Value, str], ...]


@dataclass(slots=True, eq=False)
class ElementPointer(Instruction):
    source: Type
    pointer: Value
    indices: tuple[Value, ...]
    flags: frozenset[str]


@dataclass(slots=True, eq=False)
class Alloca(Instruction):
    allocated: Type
    count: Value
    alignment: int


@dataclass(slots=True, eq=False)
class Load(Instruction):
    pointer: Value
    volatile: bool
    ordering: str | None
    alignment: int


@dataclass(slots=True, eq=False)
class Store(Instruction):
    value: Value
    pointer: Value
    volatile: bool
    ordering: str | None
    alignment: int


@dataclass(slots=True, eq=False)
class AtomicUpdate(Instruction):
    operation: str
    pointer: Value
    value: Value
    ordering: str


@dataclass(slots=True, eq=False)
class CompareExchange(Instruction):
    pointer: Value
    expected: Value
    replacement: Value
    weak: bool
    ordering: str
    failure_ordering: str


@dataclass(slots=True, eq=False)
class Fence(Instruction):
    ordering: str


@dataclass(slots=True, eq=False)
class ExtractValue(Instruction):
    aggregate: Value
    indices: tuple[int, ...]


@dataclass(slots=True, eq=False)
class InsertValue(Instruction):
    aggregate: Value
    element: Value
    indices: tuple[int, ...]


@dataclass(slots=True, eq=False)
class ExtractElement(Instruction):
    vector: Value
    index: Value


@dataclass(slots=True, eq=False)
class InsertElement(Instruction):
    vector: Value
    element: Value
    index: Value


@dataclass(slots=True, eq=False)
class Shuffle(Instruction):
    left: Value
    right: Value
    mask: Value


@dataclass(slots=True, eq=False)
class VariadicArgument(Instruction):
    pointer: Value


@dataclass(slots=True, eq=False)
class Call(Instruction):
    callee: Value
    arguments: tuple[Value, ...]
    signature: FunctionType
    copied: tuple[Type | None, ...]
    """Of each argument that is a pointer to what is passed by value: the type of that."""


@dataclass(slots=True, eq=False)
class Invoke(Instruction):
    callee: Value
    arguments: tuple[Value, ...]
    signature: FunctionType
    copied: tuple[Type | None, ...]
    normal: str
    unwind: str


@dataclass(slots=True, eq=False)
class LandingPad(Instruction):
    cleanup: bool
    clauses: tuple[tuple[str, Value], ...]
    """catch or filter, and the types of exceptions."""


@dataclass(slots=True, eq=False)
class Resume(Instruction):
    value: Value


@dataclass(slots=True, eq=False)
class Jump(Instruction):
    target: str


@dataclass(slots=True, eq=False)
class Branch(Instruction):
    condition: Value
    then: str
    otherwise: str


@dataclass(slots=True, eq=False)
class Switch(Instruction):
    value: Value
    default: str
    cases: tuple[tuple[int, str], ...]


@dataclass(slots=True, eq=False)
class IndirectJump(Instruction):
    address: Value
    targets: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Return(Instruction):
    value: Value | None


@dataclass(slots=True, eq=False)
class Unreachable(Instruction):
    pass


def operands(instruction: Instruction) -> tuple[Value, ...]:
    """The values that an instruction reads, in the order of the text."""
    match instruction:
        case Binary(_, left, right) | Compare(_, _, left, right):
            return left, right
        case Unary(_, operand) | Cast(_, operand) | Freeze(operand):
            return (operand,)
        case Select(condition, then, otherwise):
            return condition, then, otherwise
        case Phi(incoming):
            return tuple(value for value, _ in incoming)
        case ElementPointer(_, pointer, indices):
            return pointer, *indices
        case Alloca(_, count):
            return (count,)
        case Load(pointer) | VariadicArgument(pointer):
            return (pointer,)
        case Store(value, pointer):
            return value, pointer
        case AtomicUpdate(_, pointer, value):
            return pointer, value
        case CompareExchange(pointer, expected, replacement):
            return pointer, expected, replacement
        case ExtractValue(aggregate):
            return (aggregate,)
        case InsertValue(aggregate, element):
            return aggregate, element
        case ExtractElement(vector, index):
            return vector, index
        case InsertElement(vector, element, index):
            return vector, element, index
        case Shuffle(left, right, mask):
            return left, right, mask
        case Call(callee, arguments) | Invoke(callee, arguments):
            return callee, *arguments
        case LandingPad(_, clauses):
            return tuple(value for _, value in clauses)
        case Resume(value) | Switch(value) | IndirectJump(value):
            return (value,)
        case Branch(condition):
            return (condition,)
        case Return(value):
            return () if value is None else (value,)
        case _:
            return ()


def successors(terminator: Instruction) -> tuple[str, ...]:
    """The blocks that may come next."""
    match terminator:
        case Jump(target):
            return (target,)
        case Branch(_, then, otherwise):
            return then, otherwise
        case Switch(_, default, cases):
            return default, *(label for _, label in cases)
        case IndirectJump(_, targets):
            return targets
        case Invoke(_, _, _, _, normal, unwind):
            return normal, unwind
        case _:
            return ()
