"""What conditions can name of a state, as expressions over its words."""

from __future__ import annotations

from collections.abc import Sequence

from ouroboros.conditions import Names
from ouroboros.errors import InputError
from ouroboros.languages.c.description import Description
from ouroboros.languages.c.machine.observer import MOST_POSITIONS
from ouroboros.languages.c.pointers import pointer
from ouroboros.languages.c.positions import END, Positions
from ouroboros.languages.c.steps import Steps
from ouroboros.languages.c.variables import Scalar
from ouroboros.source import Span
from ouroboros.system.expressions import Binary, Conditional, Constant, Expression, Observed, Read, conjunction
from ouroboros.system.layout import Field

_SIGNED = ("signed", "character")


class Readable:
    """Of the states of a program in one layout."""

    def __init__(self, description: Description, fields: Sequence[Field], steps: Steps, file: str) -> None:
        """`file` is what lines belong to that are told without a file."""
        self._description, self._fields, self._steps, self._file = description, fields, steps, file

    def names(self) -> Names:
        known = (*self._description.readable, *self._description.enumerators)
        hint = "conditions are about global variables that the program uses, and scalars in them"
        return Names(self._read, known, hint, self._address, self._place)

    def _read(self, name: str) -> Expression | None:
        if name in self._description.enumerators:
            return Constant(self._description.enumerators[name])
        found = self._description.scalar(name)
        if found is None:
            return None
        offset, scalar = found
        if scalar.kind == "float":
            raise InputError(f"{name} is a floating-point number, and conditions are about integers and pointers")
        return self._bits(offset, scalar)

    def _bits(self, offset: int, scalar: Scalar) -> Expression | None:
        word, shift = divmod(8 * offset + scalar.low, 64)
        bits = scalar.bits or 8 * scalar.size
        if shift + bits > 64:
            return None
        value: Expression = Read(self._fields[word])
        value = Binary("<<", value, Constant(64 - shift - bits)) if shift + bits < 64 else value
        if bits == 64:
            return value
        value = Binary(">>", value, Constant(64 - bits))
        return value if scalar.kind in _SIGNED else Binary("&", value, Constant((1 << bits) - 1))

    def _address(self, name: str) -> Expression | None:
        place = self._description.named(name)
        if place is None:
            return None
        variable, offset = place
        return Constant(pointer(self._description.layout.constants.numbers[variable.module_name], offset))

    def _place(self, text: str, span: Span) -> Expression:
        if text.replace(" ", "") == f"@{END}":
            return self._over()
        position = Positions(self._description, self._file).read(text, span)
        number = self._steps.watch(position)
        if number > MOST_POSITIONS:
            raise InputError(f"there are more than {MOST_POSITIONS} places in all questions together", span)
        return Conditional(Observed(number), Constant(1), Constant(0))

    def _over(self) -> Expression:
        """The program has ended: by `exit`, by the end of main, or because all its threads have."""
        layout = self._description.layout
        exited = Binary("!=", Binary("&", Read(self._fields[0]), Constant(0xFFFFFFFF)), Constant(0))
        threads = [layout.thread_word(slot) for slot in range(layout.room.threads)]
        nobody = conjunction(*(Binary("==", Read(self._fields[word]), Constant(0)) for word in threads))
        return Binary("or", exited, nobody)
