"""Names: what is visible from where, and what to say of a name that is not."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeVar

from ouroboros.errors import InputError
from ouroboros.languages.dve.ast import ChannelName, Identifier
from ouroboros.languages.dve.model import Channel, Model, Process, Variable
from ouroboros.source import Span

Named = TypeVar("Named")


class Scope:
    """What an expression of a process (or of no process) can name. Locals hide globals of the same name."""

    def __init__(self, model: Model, process: Process | None = None) -> None:
        self.model = model
        self._local_variables = process.variables if process else {}
        self._local_channels = process.channels if process else {}

    def variable(self, name: str, span: Span) -> Variable:
        variable = self._local_variables.get(name) or self.model.variables.get(name)
        if variable is None:
            known = [*self._local_variables, *self.model.variables]
            raise unknown("variable", name, span, known, self._elsewhere(name))
        return variable

    def process(self, name: str, span: Span) -> Process:
        process = self.model.processes.get(name)
        if process is None:
            if self.model.property and self.model.property.name == name:
                raise InputError(f"`{name}` is the property process, which the system cannot observe", span)
            raise unknown("process", name, span, self.model.processes)
        return process

    def channel(self, reference: ChannelName) -> Channel:
        if reference.process is None:
            visible = {**self.model.channels, **self._local_channels}
        else:
            visible = self.process(reference.process, reference.span).channels
        channel = visible.get(reference.name)
        if channel is None:
            raise unknown("channel", reference.name, reference.span, visible)
        return channel

    def _elsewhere(self, name: str) -> str | None:
        """A hint for a name that is some other process's, or no variable at all."""
        owners = [process.name for process in self.model.processes.values() if name in process.variables]
        if owners:
            return f"`{owners[0]}` has a variable of that name: write `{owners[0]}->{name}`"
        if name in self._local_channels or name in self.model.channels:
            return f"`{name}` is a channel"
        if name in self.model.processes:
            return f"`{name}` is a process: write `{name}.state` or `{name}->variable`"
        return None


def declare(table: dict[str, Named], kind: str, identifier: Identifier, named: Named, first: Span | None) -> None:
    """Enter a name that must be new to its table; `first` is where the table's entry of that name was declared."""
    if identifier.text in table:
        where = f"the first is in line {first.line}" if first else None
        raise InputError(f"a second {kind} named `{identifier.text}`", identifier.span, where)
    table[identifier.text] = named


def unknown(kind: str, name: str, span: Span, known: Iterable[str], hint: str | None = None) -> InputError:
    if hint is None:
        close = get_close_matches(name, list(known), n=1)
        hint = f"did you mean `{close[0]}`?" if close else None
    return InputError(f"unknown {kind} `{name}`", span, hint)
