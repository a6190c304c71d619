"""Instructions as they are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ouroboros.languages.c.read import instructions as ir
from ouroboros.languages.c.read.parse_values import BINARY, CASTS, ValueParser
from ouroboros.languages.c.read.tokens import Cursor, name_of, words
from ouroboros.languages.c.read.types import Array, FunctionType, Integer, Label, Pointer, Struct, Type, Vector, Void
from ouroboros.languages.c.read.values import IntegerConstant, Value

ORDERINGS = words("unordered monotonic acquire release acq_rel seq_cst")
CONVENTIONS = words("""ccc fastcc coldcc tailcc swiftcc swifttailcc preserve_mostcc preserve_allcc x86_64_sysvcc""")
_BIT, _WORD = Integer(1), Integer(32)
_NOTHING: dict[str, Any] = {"result": None, "type": Void()}


class InstructionParser(ValueParser):
    """Reads one instruction after the other."""

    def __init__(self, cursor: Cursor) -> None:
        super().__init__(cursor)
        self._by_opcode: dict[str, Callable[[str | None], ir.Instruction]] = {
            "fneg": self._negation,
            "icmp": self._comparison,
            "fcmp": self._comparison,
            "select": self._select,
            "freeze": self._freeze,
            "phi": self._phi,
            "getelementptr": self._element_pointer_instruction,
            "alloca": self._alloca,
            "load": self._load,
            "store": self._store,
            "atomicrmw": self._update,
            "cmpxchg": self._exchange,
            "fence": self._fence,
            "extractvalue": self._extract_value,
            "insertvalue": self._insert_value,
            "extractelement": self._extract_element,
            "insertelement": self._insert_element,
            "shufflevector": self._shuffle,
            "va_arg": self._variadic_argument,
            "call": self._call,
            "invoke": self._invoke,
            "landingpad": self._landing_pad,
            "resume": self._resume,
            "br": self._branch,
            "switch": self._switch,
            "indirectbr": self._indirect,
            "ret": self._return,
            "unreachable": self._unreachable,
        }

    def instruction(self) -> ir.Instruction:
        cursor = self.cursor
        line = cursor.line
        result = None
        if cursor.kind == "local":
            result = name_of(cursor.take())
            cursor.expect("=")
        while cursor.text in ("tail", "musttail", "notail"):
            cursor.take()
        opcode = cursor.text
        if opcode in BINARY:
            found: ir.Instruction = self._binary(result)
        elif opcode in CASTS:
            found = self._cast(result)
        elif opcode in self._by_opcode:
            cursor.at += opcode not in ("icmp", "fcmp")
            found = self._by_opcode[opcode](result)
        else:
            raise cursor.wrong("an instruction")
        found.line = line
        found.location = self._place()
        return found

    def _place(self) -> int | None:
        """The place in the source among what is attached at the end of an instruction."""
        cursor = self.cursor
        place = None
        while cursor.text == "," and cursor.kinds[cursor.at + 1] == "metadata":
            cursor.take()
            name = cursor.take()
            if cursor.kind == "node":
                number = int(cursor.take()[1:])
                place = number if name == "!dbg" else place
            else:
                self._metadata()
        return place

    def _alignment(self) -> int:
        if self.cursor.text == "," and self.cursor.texts[self.cursor.at + 1] == "align":
            self.cursor.at += 2
            return self.cursor.integer()
        return 1

    def _next_value(self) -> Value:
        self.cursor.expect(",")
        return self.typed_value()

    def _label(self) -> str:
        self.cursor.expect("label")
        return name_of(self.cursor.expect_kind("local"))

    def _binary(self, result: str | None) -> ir.Binary:
        opcode = self.cursor.take()
        flags = self.flags()
        left = self.typed_value()
        self.cursor.expect(",")
        return ir.Binary(opcode, left, self.value(left.type), flags, result=result, type=left.type)

    def _negation(self, result: str | None) -> ir.Unary:
        self.flags()
        operand = self.typed_value()
        return ir.Unary("fneg", operand, result=result, type=operand.type)

    def _comparison(self, result: str | None) -> ir.Compare:
        opcode = self.cursor.take()
        self.flags()
        predicate = self.cursor.take()
        left = self.typed_value()
        self.cursor.expect(",")
        right = self.value(left.type)
        kind: Type = Vector(left.type.count, _BIT) if isinstance(left.type, Vector) else _BIT
        return ir.Compare(opcode, predicate, left, right, result=result, type=kind)

    def _cast(self, result: str | None) -> ir.Cast:
        opcode = self.cursor.take()
        self.flags()
        operand = self.typed_value()
        self.cursor.expect("to")
        return ir.Cast(opcode, operand, result=result, type=self.type())

    def _select(self, result: str | None) -> ir.Select:
        self.flags()
        condition = self.typed_value()
        then = self._next_value()
        return ir.Select(condition, then, self._next_value(), result=result, type=then.type)

    def _freeze(self, result: str | None) -> ir.Freeze:
        operand = self.typed_value()
        return ir.Freeze(operand, result=result, type=operand.type)

    def _phi(self, result: str | None) -> ir.Phi:
        cursor = self.cursor
        self.flags()
        kind = self.type()
        incoming = []
        while True:
            cursor.expect("[")
            value = self.value(kind)
            cursor.expect(",")
            incoming.append((value, name_of(cursor.expect_kind("local"))))
            cursor.expect("]")
            if cursor.text != "," or cursor.texts[cursor.at + 1] != "[":
                return ir.Phi(tuple(incoming), result=result, type=kind)
            cursor.take()

    def _element_pointer_instruction(self, result: str | None) -> ir.ElementPointer:
        flags = self.flags()
        source = self.type()
        pointer = self._next_value()
        indices = []
        while self._value_follows():
            indices.append(self._next_value())
        several = next((value.type.count for value in (pointer, *indices) if isinstance(value.type, Vector)), None)
        kind = pointer.type if several is None or isinstance(pointer.type, Vector) else Vector(several, Pointer())
        return ir.ElementPointer(source, pointer, tuple(indices), flags, result=result, type=kind)

    def _value_follows(self) -> bool:
        at = self.cursor.at
        return self.cursor.text == "," and self.cursor.kinds[at + 1] != "metadata"

    def _alloca(self, result: str | None) -> ir.Alloca:
        cursor = self.cursor
        cursor.taken("inalloca")
        kind = self.type()
        count: Value = IntegerConstant(_WORD, 1)
        if self._value_follows() and cursor.texts[cursor.at + 1] not in ("align", "addrspace"):
            count = self._next_value()
        return ir.Alloca(kind, count, self._alignment(), result=result, type=Pointer())

    def _access(self) -> tuple[bool, bool]:
        """Whether it is atomic, whether it is volatile."""
        atomic = self.cursor.taken("atomic")
        return atomic, self.cursor.taken("volatile")

    def _ordering(self) -> str | None:
        if self.cursor.taken("syncscope"):
            self.cursor.skip_parentheses()
        return self.cursor.take() if self.cursor.text in ORDERINGS else None

    def _load(self, result: str | None) -> ir.Load:
        _, volatile = self._access()
        kind = self.type()
        pointer = self._next_value()
        ordering = self._ordering()
        return ir.Load(pointer, volatile, ordering, self._alignment(), result=result, type=kind)

    def _store(self, result: str | None) -> ir.Store:
        _, volatile = self._access()
        value = self.typed_value()
        pointer = self._next_value()
        ordering = self._ordering()
        return ir.Store(value, pointer, volatile, ordering, self._alignment(), **_NOTHING)

    def _update(self, result: str | None) -> ir.AtomicUpdate:
        self.cursor.taken("volatile")
        operation = self.cursor.take()
        pointer = self.typed_value()
        value = self._next_value()
        ordering = self._ordering() or "seq_cst"
        self._alignment()
        return ir.AtomicUpdate(operation, pointer, value, ordering, result=result, type=value.type)

    def _exchange(self, result: str | None) -> ir.CompareExchange:
        weak = self.cursor.taken("weak")
        self.cursor.taken("volatile")
        pointer = self.typed_value()
        expected = self._next_value()
        replacement = self._next_value()
        ordering = self._ordering() or "seq_cst"
        failure = self._ordering() or "seq_cst"
        self._alignment()
        kind = Struct(None, (expected.type, _BIT))
        return ir.CompareExchange(pointer, expected, replacement, weak, ordering, failure, result=result, type=kind)

    def _fence(self, result: str | None) -> ir.Fence:
        return ir.Fence(self._ordering() or "seq_cst", **_NOTHING)

    def _indices(self) -> tuple[int, ...]:
        found = []
        while self.cursor.text == "," and self.cursor.kinds[self.cursor.at + 1] == "number":
            self.cursor.take()
            found.append(self.cursor.integer())
        return tuple(found)

    def _extract_value(self, result: str | None) -> ir.ExtractValue:
        aggregate = self.typed_value()
        indices = self._indices()
        return ir.ExtractValue(aggregate, indices, result=result, type=_inner(aggregate.type, indices))

    def _insert_value(self, result: str | None) -> ir.InsertValue:
        aggregate = self.typed_value()
        element = self._next_value()
        return ir.InsertValue(aggregate, element, self._indices(), result=result, type=aggregate.type)

    def _extract_element(self, result: str | None) -> ir.ExtractElement:
        vector = self.typed_value()
        assert isinstance(vector.type, Vector)
        return ir.ExtractElement(vector, self._next_value(), result=result, type=vector.type.element)

    def _insert_element(self, result: str | None) -> ir.InsertElement:
        vector = self.typed_value()
        element = self._next_value()
        return ir.InsertElement(vector, element, self._next_value(), result=result, type=vector.type)

    def _shuffle(self, result: str | None) -> ir.Shuffle:
        left = self.typed_value()
        right = self._next_value()
        mask = self._next_value()
        assert isinstance(left.type, Vector)
        assert isinstance(mask.type, Vector)
        return ir.Shuffle(left, right, mask, result=result, type=Vector(mask.type.count, left.type.element))

    def _variadic_argument(self, result: str | None) -> ir.VariadicArgument:
        pointer = self.typed_value()
        self.cursor.expect(",")
        return ir.VariadicArgument(pointer, result=result, type=self.type())

    def _called(self) -> tuple[Value, tuple[Value, ...], FunctionType, tuple[Type | None, ...]]:
        cursor = self.cursor
        self.flags()
        while cursor.text in CONVENTIONS or cursor.text == "cc":
            if cursor.take() == "cc":
                cursor.integer()
        self.skip_attributes()
        if cursor.taken("addrspace"):
            cursor.skip_parentheses()
        kind = self.type()
        callee = self.value(Pointer())
        arguments, copied = self.arguments()
        signature = kind
        if not isinstance(signature, FunctionType):
            signature = FunctionType(kind, tuple(each.type for each in arguments), variadic=False)
        self._call_attributes()
        return callee, arguments, signature, copied

    def _call_attributes(self) -> None:
        cursor = self.cursor
        while cursor.kind in ("group", "string") or (cursor.kind == "word" and cursor.text in CALL_ATTRIBUTES):
            cursor.take()
            if cursor.taken("="):
                cursor.take()
            cursor.skip_parentheses()
        if cursor.text == "[":
            while cursor.take() != "]":
                cursor.skip_parentheses()

    def _call(self, result: str | None) -> ir.Call:
        callee, arguments, signature, copied = self._called()
        return ir.Call(callee, arguments, signature, copied, result=result, type=signature.result)

    def _invoke(self, result: str | None) -> ir.Invoke:
        callee, arguments, signature, copied = self._called()
        self.cursor.expect("to")
        normal = self._label()
        self.cursor.expect("unwind")
        unwind = self._label()
        kind = signature.result
        return ir.Invoke(callee, arguments, signature, copied, normal, unwind, result=result, type=kind)

    def _landing_pad(self, result: str | None) -> ir.LandingPad:
        kind = self.type()
        cleanup = self.cursor.taken("cleanup")
        clauses = []
        while self.cursor.text in ("catch", "filter"):
            clauses.append((self.cursor.take(), self.typed_value()))
        return ir.LandingPad(cleanup, tuple(clauses), result=result, type=kind)

    def _resume(self, result: str | None) -> ir.Resume:
        return ir.Resume(self.typed_value(), **_NOTHING)

    def _branch(self, result: str | None) -> ir.Jump | ir.Branch:
        if self.cursor.text == "label":
            return ir.Jump(self._label(), **_NOTHING)
        condition = self.typed_value()
        self.cursor.expect(",")
        then = self._label()
        self.cursor.expect(",")
        return ir.Branch(condition, then, self._label(), **_NOTHING)

    def _switch(self, result: str | None) -> ir.Switch:
        value = self.typed_value()
        self.cursor.expect(",")
        default = self._label()
        self.cursor.expect("[")
        cases = []
        while not self.cursor.taken("]"):
            case = self.typed_value()
            assert isinstance(case, IntegerConstant)
            self.cursor.expect(",")
            cases.append((case.value, self._label()))
        return ir.Switch(value, default, tuple(cases), **_NOTHING)

    def _indirect(self, result: str | None) -> ir.IndirectJump:
        address = self.typed_value()
        self.cursor.expect(",")
        self.cursor.expect("[")
        targets = []
        while not self.cursor.taken("]"):
            self.cursor.taken(",")
            targets.append(self._label())
        return ir.IndirectJump(address, tuple(targets), **_NOTHING)

    def _return(self, result: str | None) -> ir.Return:
        if self.cursor.taken("void"):
            return ir.Return(None, **_NOTHING)
        return ir.Return(self.typed_value(), **_NOTHING)

    def _unreachable(self, result: str | None) -> ir.Unreachable:
        return ir.Unreachable(**_NOTHING)


CALL_ATTRIBUTES = words(
    """allockind allocsize alwaysinline builtin cold convergent hot inlinehint memory minsize mustprogress
    naked nobuiltin nocallback nocf_check noduplicate nofree noinline nomerge noprofile norecurse noredzone
    noreturn nosync nounwind optdebug optnone optsize returns_twice speculatable strictfp willreturn uwtable"""
)


def _inner(kind: Type, indices: tuple[int, ...]) -> Type:
    """The type of a part of an aggregate."""
    for index in indices:
        if isinstance(kind, Struct):
            kind = kind.elements[index]
        elif isinstance(kind, Array | Vector):
            kind = kind.element
        else:
            return Label()
    return kind
