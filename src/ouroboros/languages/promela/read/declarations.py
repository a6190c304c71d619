"""Tokens to declarations: variables, channels, structures and the names of mtypes."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.cursor import Cursor
from ouroboros.languages.promela.read.expressions import ExpressionReader
from ouroboros.languages.promela.read.names import Names
from ouroboros.languages.promela.read.terms import (
    ArrayValues,
    Basic,
    BasicName,
    Channel,
    Expression,
    Initial,
    Number,
    Run,
    Structure,
    Type,
    Variable,
    Visibility,
)
from ouroboros.languages.promela.read.tokens import BASIC_TYPES, VISIBILITIES, Token
from ouroboros.languages.promela.read.trees import nodes

LARGEST_ARRAY = 65535
WIDEST_UNSIGNED = 31


class DeclarationReader:
    def __init__(self, cursor: Cursor, names: Names, expressions: ExpressionReader) -> None:
        self._cursor = cursor
        self._names = names
        self._expressions = expressions

    def begins(self) -> bool:
        """Whether a declaration begins here."""
        token = self._cursor.next
        return (
            token.kind in BASIC_TYPES
            or token.kind in VISIBILITIES
            or (token.kind == "name" and token.text in self._names.structures)
        )

    def variables(self, *, parameter: bool = False) -> tuple[Variable, ...]:
        """`hidden byte x = 1, y[3]`: declared, and so visible, one after the other. None for the names of an mtype."""
        return tuple(variable for variable, _ in self._declared(parameter=parameter, executed=False))

    def executed(self) -> list[tuple[Variable, Initial | None]]:
        """The same after a statement: the initial values are not those of the variables, but are assigned in steps."""
        return self._declared(parameter=False, executed=True)

    def _declared(self, *, parameter: bool, executed: bool) -> list[tuple[Variable, Initial | None]]:
        first = self._cursor.next
        visibility = self._visibility()
        if self._begins_symbols():
            self._symbols(first)
            return []
        kind = self._type()
        declared: list[tuple[Variable, Initial | None]] = []
        while not declared or self._cursor.accept(","):
            variable = self._declarator(kind, visibility, parameter)
            initial = variable.initial
            if executed:
                variable = replace(variable, initial=None)
            self._names.declare(variable)
            declared.append((variable, initial))
        return declared

    def structure(self) -> Structure:
        """`typedef name { fields }`."""
        cursor = self._cursor
        cursor.advance()
        name = cursor.expect("name", "of the new type")
        self._names.confirm_new(name.text, name.span)
        cursor.expect("{", "before the fields of the type")
        fields: list[Variable] = []
        while not cursor.accept("}"):
            if not self.begins():
                raise cursor.unexpected("the type of a field")
            for field in self._fields():
                if any(field.name == other.name for other in fields):
                    raise InputError(f"{field.name} is already a field", field.span)
                fields.append(field)
            if not cursor.accept(";", "->") and cursor.next.kind != "}":
                raise cursor.unexpected("`;` or `}` after the field")
            while cursor.accept(";", "->"):
                pass
        if not fields:
            raise InputError("a type has at least one field", name.span)
        structure = Structure(name.place, name.text, tuple(fields))
        self._names.structures[name.text] = structure
        return structure

    def _fields(self) -> list[Variable]:
        visibility = self._visibility()
        kind = self._type()
        fields = [self._declarator(kind, visibility, parameter=False)]
        while self._cursor.accept(","):
            fields.append(self._declarator(kind, visibility, parameter=False))
        return fields

    def _visibility(self) -> Visibility:
        token = self._cursor.accept(*VISIBILITIES)
        return cast(Visibility, token.kind) if token else ""

    def _type(self) -> Type:
        cursor = self._cursor
        token = cursor.advance()
        if token.kind == "name" and token.text in self._names.structures:
            while cursor.next.kind == ";" and not cursor.next.text:
                cursor.advance()  # a line that ends with a type goes on
            return self._names.structures[token.text]
        if token.kind not in BASIC_TYPES:
            cursor.position -= 1
            raise cursor.unexpected("a type")
        subtype = None
        if token.kind == "mtype" and cursor.accept(":"):
            subtype = cursor.expect("name", "of a kind of mtype").text
        return Basic(cast(BasicName, token.kind), None, subtype)

    def _declarator(self, kind: Type, visibility: Visibility, parameter: bool) -> Variable:
        """`name`, `name[size]`, `name : width`, each perhaps with an initial value."""
        cursor = self._cursor
        name = cursor.expect("name", "of a variable")
        kind = self._width(kind, name)
        size = self._size(name)
        initial = self._initial(kind, size, name) if cursor.accept("=") else None
        if visibility == "hidden" and isinstance(kind, Basic) and kind.name in ("bit", "bool"):
            raise InputError(f"a {kind.name} cannot be hidden", name.span, "make it a byte")
        if visibility == "hidden" and self._names.process is not None:
            raise InputError("only a global variable can be hidden", name.span)
        if parameter and (initial is not None or size is not None):
            what = "an initial value" if initial is not None else "a size"
            raise InputError(f"a parameter cannot have {what}", name.span)
        return Variable(
            span=name.place,
            name=name.text,
            type=kind,
            size=size,
            initial=initial,
            visibility=visibility,
            process=self._names.process,
            parameter=parameter,
            scope=self._names.scope,
        )

    def _width(self, kind: Type, name: Token) -> Type:
        unsigned = isinstance(kind, Basic) and kind.name == "unsigned"
        if not self._cursor.accept(":"):
            if unsigned:
                raise InputError("an unsigned needs a width in bits", name.span, f"write unsigned {name.text} : 4")
            return kind
        width = self._cursor.expect("number", "of bits")
        if not unsigned:
            raise InputError(
                "only an unsigned can have a width", width.span, f"write unsigned {name.text} : {width.text}"
            )
        if not 1 <= width.number <= WIDEST_UNSIGNED:
            raise InputError(f"an unsigned has 1 to {WIDEST_UNSIGNED} bits", width.span)
        return Basic("unsigned", width.number)

    def _size(self, name: Token) -> int | None:
        cursor = self._cursor
        opening = cursor.accept("[")
        if not opening:
            return None
        size = self._expressions.constant("the size of an array")
        cursor.expect("]", "after the size of the array")
        if not 1 <= size <= LARGEST_ARRAY:
            raise InputError(f"an array has 1 to {LARGEST_ARRAY} elements", cursor.since(opening))
        return size

    def _initial(self, kind: Type, size: int | None, name: Token) -> Initial:
        cursor = self._cursor
        if cursor.next.kind == "[":
            if kind != Basic("chan"):
                raise InputError(f"{name.text} is no channel, and this makes one", cursor.next.span)
            return self._channel()
        if cursor.next.kind == "{":
            if size is None:
                raise InputError(f"a list of values is for an array, and {name.text} is none", cursor.next.span)
            return self._array_values()
        value: Expression = self._expressions.expression()
        if kind == Basic("chan") and isinstance(value, Number):
            raise InputError("a channel has no number", value.span, "write = [capacity] of { types }")
        for node in nodes(value):
            if isinstance(node, Run):
                raise InputError("run cannot be a part of an initial value", node.span, "assign its pid in a statement")
        return value

    def _channel(self) -> Channel:
        """`[capacity] of { types }`."""
        cursor = self._cursor
        first = cursor.advance()
        capacity = self._expressions.constant("the capacity of a channel")
        if capacity < 0:
            raise InputError("a channel cannot hold fewer than 0 messages", cursor.since(first))
        cursor.expect("]", "after the capacity")
        cursor.expect("of", "and the types of a message", "a channel is written [capacity] of { types }")
        cursor.expect("{", "before the types of a message")
        types = [self._message_type()]
        while cursor.accept(","):
            types.append(self._message_type())
        cursor.expect("}", "after the types of a message")
        return Channel(cursor.since(first), capacity, tuple(types))

    def _message_type(self) -> Type:
        first = self._cursor.next
        kind = self._type()
        if isinstance(kind, Basic) and kind.name == "unsigned":
            raise InputError("unsigned cannot be part of a message", first.span, "use byte, short or int")
        if isinstance(kind, Structure):
            _confirm_message(kind, first)
        return kind

    def _array_values(self) -> ArrayValues:
        cursor = self._cursor
        first = cursor.advance()
        values: list[Expression] = []
        while not values or cursor.accept(","):
            value = cursor.next
            values.append(self._expressions.expression())
            if not isinstance(values[-1], Number) and value.text not in self._names.symbols:
                raise InputError("a value in this list must be a constant", value.span)
        cursor.expect("}", "after the values")
        return ArrayValues(cursor.since(first), tuple(values))

    def _begins_symbols(self) -> bool:
        """`mtype = {`, `mtype {` or `mtype : name = {`."""
        following = self._cursor.following
        if self._cursor.next.kind != "mtype":
            return False
        after = 1 if following(1).kind != ":" else 3
        return following(after).kind == "{" or (following(after).kind == "=" and following(after + 1).kind == "{")

    def _symbols(self, first: Token) -> None:
        cursor = self._cursor
        if self._names.process is not None:
            raise InputError("the names of an mtype are declared outside of processes", first.span)
        cursor.advance()
        subtype = cursor.expect("name", "of a kind of mtype").text if cursor.accept(":") else None
        cursor.accept("=")
        cursor.expect("{", "before the names")
        listed: list[tuple[str, Token]] = []
        while not cursor.accept("}"):
            token = cursor.expect("name", "of an mtype")
            listed.append((token.text, token))
            while cursor.accept(","):
                pass
        if not listed:
            raise InputError("an mtype has at least one name", first.span)
        self._names.declare_symbols(subtype, [(name, token.span) for name, token in listed])


def _confirm_message(structure: Structure, token: Token) -> None:
    """Whether values of this type can be sent."""
    for field in structure.fields:
        if isinstance(field.type, Structure):
            if field.size is not None:
                raise InputError(f"an array of structures, {field.name}, cannot be part of a message", token.span)
            _confirm_message(field.type, token)
        elif field.type.name == "unsigned":
            raise InputError(f"an unsigned, {field.name}, cannot be part of a message", token.span)
