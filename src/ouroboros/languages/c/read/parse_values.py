"""Values as they are written, and attributes, which are skipped."""

from __future__ import annotations

import struct

from ouroboros.languages.c.read.parse_types import TypeParser
from ouroboros.languages.c.read.tokens import name_of, unescaped, words
from ouroboros.languages.c.read.types import Array, Float, Integer, Metadata, Struct, Type, Vector
from ouroboros.languages.c.read.values import (
    Aggregate,
    BlockAddress,
    Expression,
    FloatConstant,
    Global,
    InlineAssembly,
    IntegerConstant,
    Local,
    MetadataOperand,
    Text,
    Undefined,
    Value,
    Zero,
)

CASTS = words(
    """trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast
    addrspacecast"""
)
BINARY = words("""add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem""")
FLAGS = words("""nuw nsw exact disjoint nneg samesign inbounds nusw fast nnan ninf nsz arcp contract reassoc afn""")
_TYPED_ATTRIBUTES = frozenset(
    {"byval", "sret", "byref", "inalloca", "preallocated", "elementtype", "initializes", "range"}
)
ATTRIBUTES = words(
    """byval sret byref inalloca preallocated elementtype initializes range
    align alignstack allocalign allocptr captures dead_on_return dead_on_unwind dereferenceable
    dereferenceable_or_null immarg inreg nest noalias nocapture noext nofpclass nofree nonnull noundef
    readnone readonly returned signext swiftasync swifterror swiftself writable writeonly zeroext"""
)


class ValueParser(TypeParser):
    def flags(self) -> frozenset[str]:
        found = set()
        while self.cursor.text in FLAGS or self.cursor.text == "inrange":
            found.add(self.cursor.take())
            if "inrange" in found:
                found.discard("inrange")
                self.cursor.skip_parentheses()
        return frozenset(found)

    def skip_attributes(self) -> Type | None:
        """Over what is said of a parameter or a result; the type of what is copied, if it is."""
        cursor = self.cursor
        copied = None
        while cursor.text in ATTRIBUTES or cursor.kind == "string":
            word = cursor.take()
            if cursor.taken("=") or (word in ("align", "alignstack") and cursor.kind == "number"):
                cursor.take()
            elif word == "byval":
                cursor.expect("(")
                copied = self.type()
                cursor.expect(")")
            else:
                cursor.skip_parentheses()
        return copied

    def typed_value(self) -> Value:
        kind = self.type()
        self.skip_attributes()
        return self.value(kind)

    def value(self, kind: Type) -> Value:
        cursor = self.cursor
        if isinstance(kind, Metadata):
            return MetadataOperand(self._metadata(), kind)
        match cursor.kind:
            case "local":
                return Local(name_of(cursor.take()), kind)
            case "global":
                return Global(name_of(cursor.take()))
            case "number":
                return self._number(kind)
            case "bytes":
                return Text(kind, unescaped(cursor.take()[1:]))
            case "mark":
                return self._aggregate(kind)
            case "word":
                return self._word(kind)
        raise cursor.wrong("a value")

    def _number(self, kind: Type) -> Value:
        text = self.cursor.take()
        if isinstance(kind, Integer):
            return IntegerConstant(kind, int(text) % (1 << kind.bits))
        if isinstance(kind, Float):
            return FloatConstant(kind, float_bits(kind.name, text))
        raise self.cursor.wrong("a value of another type")

    def _word(self, kind: Type) -> Value:
        cursor = self.cursor
        word = cursor.take()
        match word:
            case "true" | "false":
                assert isinstance(kind, Integer)
                return IntegerConstant(kind, int(word == "true"))
            case "null" | "zeroinitializer" | "none":
                return Zero(kind)
            case "undef" | "poison":
                return Undefined(kind, word == "poison")
            case "getelementptr":
                return self._element_pointer(kind)
            case "blockaddress":
                cursor.expect("(")
                function = name_of(cursor.expect_kind("global"))
                cursor.expect(",")
                block = name_of(cursor.expect_kind("local"))
                cursor.expect(")")
                return BlockAddress(function, block)
            case "dso_local_equivalent" | "no_cfi":
                return Global(name_of(cursor.expect_kind("global")))
            case "asm":
                return self._assembly()
            case "splat":
                return self._splat(kind)
        if word in CASTS:
            self.flags()
            cursor.expect("(")
            operand = self.typed_value()
            cursor.expect("to")
            target = self.type()
            cursor.expect(")")
            return Expression(word, target, (operand,))
        if word in BINARY:
            self.flags()
            cursor.expect("(")
            left = self.typed_value()
            cursor.expect(",")
            right = self.typed_value()
            cursor.expect(")")
            return Expression(word, kind, (left, right))
        cursor.at -= 1
        raise cursor.wrong("a value")

    def _element_pointer(self, kind: Type) -> Expression:
        cursor = self.cursor
        self.flags()
        cursor.expect("(")
        source = self.type()
        operands = []
        while cursor.taken(","):
            self.flags()
            operands.append(self.typed_value())
        cursor.expect(")")
        return Expression("getelementptr", kind, tuple(operands), source)

    def _assembly(self) -> InlineAssembly:
        cursor = self.cursor
        while cursor.text in ("sideeffect", "alignstack", "inteldialect", "unwind"):
            cursor.take()
        text = unescaped(cursor.expect_kind("string")).decode("latin-1")
        cursor.expect(",")
        return InlineAssembly(text, unescaped(cursor.expect_kind("string")).decode("latin-1"))

    def _splat(self, kind: Type) -> Aggregate:
        self.cursor.expect("(")
        element = self.typed_value()
        self.cursor.expect(")")
        assert isinstance(kind, Vector)
        return Aggregate(kind, (element,) * kind.count)

    def _aggregate(self, kind: Type) -> Value:
        opening = self.cursor.take()
        closing = {"[": "]", "{": "}", "<": ">"}.get(opening)
        if closing is None or not isinstance(kind, Array | Vector | Struct):
            self.cursor.at -= 1
            raise self.cursor.wrong("a value")
        packed = opening == "<" and self.cursor.taken("{")
        elements: list[Value] = []
        if packed:
            closing = "}"
        while not self.cursor.taken(closing):
            if elements:
                self.cursor.expect(",")
            elements.append(self.typed_value())
        if packed:
            self.cursor.expect(">")
        return Aggregate(kind, tuple(elements))

    def _metadata(self) -> str:
        """An operand that is metadata; only calls that are ignored have one."""
        cursor = self.cursor
        if cursor.kind in ("node", "string"):
            return cursor.take()
        if cursor.kind == "metadata":
            word = cursor.take()
            if cursor.kind == "string":
                return word + cursor.take()
            if cursor.text == "{":
                return self._metadata_tuple()
            cursor.skip_parentheses()
            return word
        value = self.typed_value()
        return str(value)

    def _metadata_tuple(self) -> str:
        depth, text = 0, ""
        while True:
            word = self.cursor.take()
            depth += (word == "{") - (word == "}")
            text += word
            if not depth:
                return text

    def arguments(self) -> tuple[tuple[Value, ...], tuple[Type | None, ...]]:
        """What is passed, and the types of what is copied."""
        cursor = self.cursor
        cursor.expect("(")
        found: list[Value] = []
        copied: list[Type | None] = []
        while not cursor.taken(")"):
            if found:
                cursor.expect(",")
            kind = self.type()
            copied.append(self.skip_attributes())
            found.append(self.value(kind))
        return tuple(found), tuple(copied)


def float_bits(name: str, text: str) -> int:
    """The pattern of a constant; those in hexadecimal are written as the pattern of a double, or of their own type."""
    if text.startswith("0x"):
        if text[2] in "HKLMR":
            return int(text[3:], 16)
        number = struct.unpack("<d", int(text, 16).to_bytes(8, "little"))[0]
        if name == "double":
            return int(text, 16)
    else:
        number = float(text)
    match name:
        case "float":
            return int.from_bytes(struct.pack("<f", number), "little")
        case "double":
            return int.from_bytes(struct.pack("<d", number), "little")
        case "half":
            return int.from_bytes(struct.pack("<e", number), "little")
        case "bfloat":
            return int.from_bytes(struct.pack("<f", number), "little") >> 16
    raise ValueError(f"{text} as {name}")
