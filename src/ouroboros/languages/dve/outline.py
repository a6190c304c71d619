"""The names that a DVE text declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ouroboros.languages.dve.check import check_model
from ouroboros.languages.dve.model import Channel, Process, Variable
from ouroboros.languages.dve.parse import parse_model
from ouroboros.outline import Symbol, SymbolKind
from ouroboros.source import Source, Span


def outline(source: Source) -> Iterator[Symbol]:
    """Raises InputError where the text is no model."""
    model = check_model(source)
    yield from _variables(model.variables.values(), "", None)
    yield from _channels(model.channels.values(), "", None)
    states = {tree.identifier.text: tree.states for tree in parse_model(source).processes}
    processes = [*model.processes.values(), *([model.property] if model.property else [])]
    processes.sort(key=lambda process: process.span.start)
    ends = [process.span.start for process in processes[1:]] + [len(source.text)]
    for process, end in zip(processes, ends, strict=True):
        scope = Span(source, process.span.start, end)
        kind: SymbolKind = "property" if process is model.property else "process"
        yield Symbol(process.name, kind, process.span, f"{kind} {process.name}")
        for state in states[process.name]:
            yield Symbol(state.text, "state", state.span, _told(process, state.text), process.name, scope)
        yield from _variables(process.variables.values(), process.name, scope)
        yield from _channels(process.channels.values(), process.name, scope)


def _told(process: Process, state: str) -> str:
    number = process.states[state]
    marks = [
        mark
        for mark, marked in (
            ("initial", number == process.initial),
            ("accepting", number in process.accepting),
            ("committed", number in process.committed),
        )
        if marked
    ]
    return " ".join([*marks, f"state {process.name}.{state}"])


def _variables(variables: Iterable[Variable], container: str, scope: Span | None) -> Iterator[Symbol]:
    for variable in variables:
        size = "" if variable.size is None else f"[{variable.size}]"
        values = ", ".join(map(str, variable.initial))
        detail = f"{variable.type} {variable.name}{size} = {values if variable.size is None else f'{{{values}}}'}"
        if variable.constant:
            detail = f"const {detail}"
        yield Symbol(
            variable.name, "constant" if variable.constant else "variable", variable.span, detail, container, scope
        )


def _channels(channels: Iterable[Channel], container: str, scope: Span | None) -> Iterator[Symbol]:
    for channel in channels:
        message = f" {{{', '.join(channel.message)}}}" if channel.message is not None else ""
        size = f"[{channel.capacity}]" if channel.capacity else ""
        yield Symbol(channel.name, "channel", channel.span, f"channel{message} {channel.name}{size}", container, scope)
