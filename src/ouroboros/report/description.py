"""A model at a glance: what `ouro info` prints."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ouroboros.system.layout import WORD_BITS, Field
from ouroboros.system.model import System
from ouroboros.units import plural


def description(system: System, properties: Mapping[str, str]) -> RenderableType:
    layout = system.layout
    used = sum(_bits(item) for item in layout.fields)
    vector_bytes = layout.words * WORD_BITS // 8
    summary = Table.grid(padding=(0, 2))
    summary.add_row("model", Text(system.source.name))
    summary.add_row("language", system.language)
    summary.add_row("sha256", system.source.sha256)
    if system.processes:
        summary.add_row("processes", Text(f"{len(system.processes)}: {', '.join(system.processes)}"))
    summary.add_row("actions", f"{len(system.actions):,}")
    summary.add_row("initial", plural(len(system.initial), "state"))
    summary.add_row("assertions", f"{len(system.assertions):,}")
    summary.add_row("state vector", f"{plural(vector_bytes, 'byte')}, of which {used:,} bits are used")
    return Group(
        summary,
        Padding(_components(system), (1, 0, 0, 0)),
        Padding(_properties(properties), (1, 0, 0, 0)),
    )


def _properties(properties: Mapping[str, str]) -> RenderableType:
    """What `--property` can choose."""
    table = Table.grid(padding=(0, 2))
    for name, meaning in properties.items():
        table.add_row(Text(name), Text(meaning))
    return Group(Text("properties", style="bold"), Padding(table, (0, 0, 0, 2)))


def _components(system: System) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column()
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    for component, fields in system.layout.components.items():
        table.add_row(Text(component, style="bold"), "", plural(sum(map(_bits, fields)), "bit"), "")
        for item in fields:
            table.add_row("", Text(_name(item)), plural(_bits(item), "bit"), Text(type_text(item)))
    return table


def _name(item: Field) -> str:
    if item.name == item.component:
        return "location"
    name = item.name.removeprefix(f"{item.component}.")
    return name if item.length is None else f"{name}[{item.length}]"


def _bits(item: Field) -> int:
    return item.bits * item.elements


def type_text(item: Field) -> str:
    if item.value_names:
        return "one of " + ", ".join(item.value_names)
    if item.signed:
        return f"{-(1 << (item.bits - 1))} … {(1 << (item.bits - 1)) - 1}"
    return f"0 … {(1 << item.bits) - 1}"
