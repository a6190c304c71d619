"""The layout of a DVE state: globals, then each process with its location and locals, then the buffers of channels."""

from __future__ import annotations

from typing import NamedTuple

from ouroboros.languages.dve.ast import Type
from ouroboros.languages.dve.model import Channel, Model, Process, Variable
from ouroboros.system.layout import Field, bits_for

GLOBALS = "globals"

_BITS: dict[Type, int] = {"byte": 8, "int": 16}


class Buffer(NamedTuple):
    """The messages in a channel, oldest first. Cells from `length` on are zero, so that equal contents look equal."""

    length: Field
    cells: tuple[Field, ...]
    """An array for each value of a message."""


class Fields:
    """The fields of a model's variables, locations and buffers. Constants have none."""

    def __init__(self, model: Model) -> None:
        self.variables: dict[Variable, Field] = {}
        self.locations: dict[Process, Field] = {}
        self.buffers: dict[Channel, Buffer] = {}
        self.all: list[Field] = []
        for variable in model.variables.values():
            self._add_variable(variable, GLOBALS, variable.name)
        for process in model.processes.values():
            self._add_location(process)
            for variable in process.variables.values():
                self._add_variable(variable, process.name, f"{process.name}.{variable.name}")
        for channel in model.channels.values():
            self._add_buffer(channel, channel.name)
        for process in model.processes.values():
            for channel in process.channels.values():
                self._add_buffer(channel, f"{process.name}.{channel.name}")

    def _add(self, field: Field) -> Field:
        self.all.append(field)
        return field

    def _add_variable(self, variable: Variable, component: str, name: str) -> None:
        if not variable.constant:
            bits, signed = _BITS[variable.type], variable.type == "int"
            field = Field(name, component, bits, signed, variable.size, variable.initial)
            self.variables[variable] = self._add(field)

    def _add_location(self, process: Process) -> None:
        self.locations[process] = self._add(
            Field(
                process.name,
                process.name,
                bits_for(len(process.states)),
                initial=(process.initial,),
                value_names=tuple(process.states),
            )
        )

    def _add_buffer(self, channel: Channel, name: str) -> None:
        if channel.capacity:
            length = self._add(Field(f"{name}.length", name, bits_for(channel.capacity + 1)))
            zeros = (0,) * channel.capacity
            cells = [
                self._add(Field(f"{name}.{number}", name, _BITS[kind], kind == "int", channel.capacity, zeros))
                for number, kind in enumerate(channel.message or ())
            ]
            self.buffers[channel] = Buffer(length, tuple(cells))
