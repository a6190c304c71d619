"""Types as they are written."""

from __future__ import annotations

from ouroboros.languages.c.read.tokens import Cursor, name_of
from ouroboros.languages.c.read.types import (
    FLOAT_BITS,
    Array,
    Float,
    FunctionType,
    Integer,
    Label,
    Metadata,
    Pointer,
    Struct,
    Token,
    Type,
    Vector,
    Void,
)

_WORDS: dict[str, Type] = {
    "void": Void(),
    "label": Label(),
    "metadata": Metadata(),
    "token": Token(),
    **{name: Float(name) for name in FLOAT_BITS},
    **{f"i{bits}": Integer(bits) for bits in (1, 8, 16, 32, 64, 128)},
}


class TypeParser:
    """Reads types, and knows those that have names."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.named: dict[str, Struct] = {}
        self._definitions = {
            name_of(cursor.texts[at - 2]): at + 1
            for at, word in enumerate(cursor.texts)
            if word == "type" and at >= 2 and cursor.texts[at - 1] == "=" and cursor.kinds[at - 2] == "local"
        }

    def type(self) -> Type:
        kind = self._first()
        while self.cursor.text == "(":
            kind = self._function_type(kind)
        return kind

    def _first(self) -> Type:
        cursor = self.cursor
        if cursor.kind == "local":
            return self._structure(name_of(cursor.take()))
        if cursor.kind not in ("word", "mark"):
            raise cursor.wrong("a type")
        word = cursor.take()
        match word:
            case "ptr":
                return self._pointer()
            case "[":
                count = cursor.integer()
                cursor.expect("x")
                array = Array(count, self.type())
                cursor.expect("]")
                return array
            case "{":
                return self._struct(packed=False)
            case "<" if cursor.taken("{"):
                struct = self._struct(packed=True)
                cursor.expect(">")
                return struct
            case "<":
                count = cursor.integer()
                cursor.expect("x")
                vector = Vector(count, self.type())
                cursor.expect(">")
                return vector
        if word in _WORDS:
            return _WORDS[word]
        if word[0] == "i" and word[1:].isdigit():
            return Integer(int(word[1:]))
        cursor.at -= 1
        raise cursor.wrong("a type")

    def _pointer(self) -> Pointer:
        if not self.cursor.taken("addrspace"):
            return Pointer()
        self.cursor.expect("(")
        space = self.cursor.integer()
        self.cursor.expect(")")
        return Pointer(space)

    def _struct(self, *, packed: bool) -> Struct:
        elements: list[Type] = []
        while not self.cursor.taken("}"):
            if elements:
                self.cursor.expect(",")
            elements.append(self.type())
        return Struct(None, tuple(elements), packed)

    def _function_type(self, result: Type) -> FunctionType:
        self.cursor.expect("(")
        parameters: list[Type] = []
        variadic = False
        while not self.cursor.taken(")"):
            if parameters:
                self.cursor.expect(",")
            if self.cursor.taken("..."):
                variadic = True
            else:
                parameters.append(self.type())
        return FunctionType(result, tuple(parameters), variadic)

    def _structure(self, name: str) -> Struct:
        """A named type, whose definition may come later in the text."""
        if name not in self.named and name in self._definitions:
            back, self.cursor.at = self.cursor.at, self._definitions.pop(name)
            self.define(name)
            self.cursor.at = back
        return self.named.get(name) or Struct(name, (), opaque=True)

    def define(self, name: str) -> None:
        """What a named type is, after `type`."""
        if self.cursor.taken("opaque"):
            self.named[name] = Struct(name, (), opaque=True)
            return
        kind = self.type()
        if not isinstance(kind, Struct):
            raise self.cursor.wrong("a structure")
        self.named[name] = Struct(name, kind.elements, kind.packed)
