"""What is declared so far, and what of it is visible from here.

Promela is read in one pass: a name means what was declared before. Nothing is hidden by an inner declaration, because
Spin refuses the second declaration of a name that is visible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.ast import Label, Model
from ouroboros.languages.promela.read.terms import Structure, Variable
from ouroboros.languages.promela.read.tokens import Token
from ouroboros.source import Span

MOST_SYMBOLS = 255


class Inline(NamedTuple):
    """`inline name(parameters) { body }`; the body has its braces."""

    span: Span
    name: str
    parameters: tuple[str, ...]
    body: tuple[Token, ...]


class SymbolValue(NamedTuple):
    value: int
    subtype: str | None


class Names:
    """The names of a model, and of the process that is being read."""

    def __init__(self) -> None:
        self.globals: dict[str, Variable] = {}
        self.structures: dict[str, Structure] = {}
        self.symbols: dict[str, SymbolValue] = {}
        self.subtypes: dict[str | None, tuple[str, ...]] = {}
        self.inlines: dict[str, Inline] = {}
        self.processes: dict[str, list[Variable]] = {}
        """The variables of each process that was read, or is being read."""
        self.process: str | None = None
        self._blocks: list[dict[str, Variable]] = []
        self._scopes: list[str] = ["_"]
        self._inner: dict[str, int] = {}
        self.labels: dict[Label, Span] = {}
        """Of the process that is being read."""

    @classmethod
    def of(cls, model: Model) -> Names:
        """All names of a model, as they are visible from outside of its processes."""
        names = cls()
        names.globals = {variable.name: variable for variable in model.globals}
        names.structures = {structure.name: structure for structure in model.structures}
        names.subtypes = dict(model.symbols)
        names.symbols = {
            name: SymbolValue(position + 1, subtype)
            for subtype, listed in model.symbols.items()
            for position, name in enumerate(listed)
        }
        names.processes = {process.name: list(process.variables) for process in model.processes}
        return names

    @property
    def scope(self) -> str:
        return self._scopes[-1]

    @contextmanager
    def inside_process(self, name: str) -> Iterator[None]:
        self.process = name
        self.processes[name] = []
        self._blocks, self._scopes, self._inner, self.labels = [{}], ["_"], {}, {}
        try:
            yield
        finally:
            self.process = None
            self._blocks, self._scopes = [], ["_"]

    @contextmanager
    def inside_block(self) -> Iterator[None]:
        number = self._inner[self.scope] = self._inner.get(self.scope, 0) + 1
        self._scopes.append(f"{self.scope}{number}_")
        self._blocks.append({})
        try:
            yield
        finally:
            self._scopes.pop()
            self._blocks.pop()

    def variable(self, name: str) -> Variable | None:
        """The variable of that name that is visible from here."""
        for block in reversed(self._blocks):
            if name in block:
                return block[name]
        return self.globals.get(name)

    def declare(self, variable: Variable) -> None:
        """Enter a variable in the block that is being read, or among the globals."""
        self.confirm_new(variable.name, variable.span)
        if self.process is None:
            self.globals[variable.name] = variable
        else:
            self._blocks[-1][variable.name] = variable
            self.processes[self.process].append(variable)

    def declare_symbols(self, subtype: str | None, names: Iterable[tuple[str, Span]]) -> None:
        """Enter the names of one mtype declaration, of which the last one has the smallest value."""
        listed = list(names)
        for name, span in listed:
            self.confirm_new(name, span)
            if [other for other, _ in listed].count(name) > 1:
                raise InputError(f"{name} appears twice in this mtype", span)
        known = self.subtypes.get(subtype, ())
        self.subtypes[subtype] = (*known, *(name for name, _ in reversed(listed)))
        for value, name in enumerate(self.subtypes[subtype], start=1):
            self.symbols[name] = SymbolValue(value, subtype)
        if len(self.subtypes[subtype]) > MOST_SYMBOLS:
            raise InputError(f"an mtype has more than {MOST_SYMBOLS} names", listed[0][1])

    def confirm_new(self, name: str, span: Span) -> None:
        """Whether a name can be declared here; raises InputError if it is taken."""
        variable = self.variable(name)
        if variable is not None:
            raise InputError(
                f"{name} is already declared",
                span,
                f"the first is in {_line(variable.span, span)}; in Promela an inner name cannot hide an outer one",
            )
        if name in self.symbols:
            raise InputError(f"{name} is already a name of an mtype", span)
        for kind, table in (("typedef", self.structures), ("inline", self.inlines), ("process", self.processes)):
            if name in table:
                raise InputError(f"{name} is already the name of a {kind}", span)

    def unknown(self, token: Token) -> InputError:
        """The error that a name means no variable."""
        name = token.text
        if name in self.processes:
            return InputError(
                f"{name} is a process", token.span, f"write {name}@label, {name}:variable or run {name}()"
            )
        if name in self.structures:
            return InputError(f"{name} is a type", token.span)
        if name in self.inlines:
            return InputError(f"{name} is an inline", token.span, f"it is used as a statement: {name}(…)")
        visible = [*self.globals, *self.symbols, *(name for block in self._blocks for name in block)]
        close = get_close_matches(name, visible, n=1)
        return InputError(
            f"{name} is not declared",
            token.span,
            f"did you mean {close[0]}?" if close else "a variable is declared before it is used",
        )

    def remote_variable(self, process: str, token: Token) -> Variable:
        """A variable of a process, seen from outside: preferably one that is outside of all inner blocks."""
        candidates = [variable for variable in self.processes[process] if variable.name == token.text]
        if not candidates:
            known = [variable.name for variable in self.processes[process]]
            close = get_close_matches(token.text, known, n=1)
            raise InputError(
                f"{process} has no variable {token.text}",
                token.span,
                f"did you mean {close[0]}?" if close else None,
            )
        return min(candidates, key=lambda variable: len(variable.scope))


def _line(place: Span, seen_from: Span) -> str:
    return f"line {place.line}" if place.source is seen_from.source else str(place)
