"""The layout of a Promela state: globals, channels, and for each slot what the processes need that were seen there.

A process lives in the slot of its pid, as one of the proctypes that were seen there. What is not in use is zero, so
that equal states look equal.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from math import prod
from typing import NamedTuple

from ouroboros.languages.promela.flow.elements import Element
from ouroboros.languages.promela.flow.flow import Flow
from ouroboros.languages.promela.flow.references import Path, References, basic_paths
from ouroboros.languages.promela.lower.procedures import Procedures
from ouroboros.languages.promela.read import ast, terms
from ouroboros.languages.promela.read.trees import bodies, nodes
from ouroboros.system.layout import Field, bits_for

GLOBALS = "globals"

_BITS = {"bit": 1, "bool": 1, "byte": 8, "pid": 8, "mtype": 8, "chan": 8, "short": 16, "int": 32}
_SIGNED = ("short", "int")

MOST_PROCESSES = 255


class Features:
    """What a model uses, and what therefore belongs into its states."""

    def __init__(self, model: ast.Model) -> None:
        found = [node for _, tree in bodies(model) for node in nodes(tree)]
        self.last = any(isinstance(node, terms.Predefined) and node.name == "_last" for node in found) or any(
            re.search(r"\b_last\b", formula.formula.text) for formula in model.formulas
        )
        self.priorities = any(process.priority is not None for process in model.processes) or any(
            isinstance(node, ast.SetPriority)
            or (isinstance(node, terms.AskProcess) and node.question == "get_priority")
            or (isinstance(node, terms.Run) and node.priority is not None)
            or (isinstance(node, terms.Predefined) and node.name == "_priority")
            for node in found
        )


class Leaf(NamedTuple):
    """A basic variable, or all of them that arrays of structures have at the same path."""

    field: Field
    sizes: tuple[int, ...]
    """The size of each array on the path, outermost first."""


@dataclass(frozen=True, eq=False)
class Bank:
    """The channels of one declaration: one, or one for each element of an array.

    The messages of channel c start at `c * capacity` in the cells, oldest first; cells behind them are zero.
    """

    name: str
    first: int
    """The number of its first channel. The others follow on."""
    count: int
    capacity: int
    types: tuple[terms.Basic, ...]
    length: Field | None
    """None for a rendezvous, which holds nothing."""
    cells: tuple[Field, ...]


@dataclass(frozen=True, eq=False)
class Instance:
    """A proctype in a slot."""

    pid: int
    process: ast.Process
    flow: Flow
    location: Field
    """Zero: the slot is not in use by this proctype."""
    numbers: dict[Element, int]
    """The value of the location for each place. Where a run may end comes first."""
    ends: int
    """The last of the values where a run may end."""
    priority: Field | None = None
    """None where nobody has a priority."""
    variables: dict[Path, Leaf] = field(default_factory=dict)
    banks: dict[Path, Bank] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.process.name}[{self.pid}]"

    def fields(self) -> Iterator[Field]:
        """All that is its own, and must be zero when it is gone."""
        yield self.location
        if self.priority:
            yield self.priority
        for leaf in self.variables.values():
            yield leaf.field
        for bank in self.banks.values():
            yield from bank_fields(bank)


def bank_fields(bank: Bank) -> Iterator[Field]:
    if bank.length:
        yield bank.length
        yield from bank.cells


class Fields:
    """All fields of a model with the given slots."""

    def __init__(
        self,
        model: ast.Model,
        references: References,
        flows: dict[str, Flow],
        slots: Iterable[tuple[int, str]],
        unread: frozenset[terms.Variable],
        fair: bool = False,
        last: bool = False,
    ) -> None:
        self.references = references
        self.flows = flows
        self.unread = unread
        self.dynamic = any(isinstance(node, terms.Run) for process in model.processes for node in nodes(process.body))
        """Whether processes may be made that have no slot yet."""
        self._symbols = model.symbols
        self.all: list[Field] = []
        self.variables: dict[Path, Leaf] = {}
        self.banks: dict[Path, Bank] = {}
        self._channels = 0
        self.procedures = Procedures()
        """What is done with these fields in many places."""
        for variable in model.globals:
            self._declare(variable, GLOBALS, "", self.variables, self.banks)
        self.alive = self._add(Field("_nr_pr", GLOBALS, 8, told="never"))
        features = Features(model)
        self.prioritised = features.priorities
        self.last = self._add(Field("_last", GLOBALS, 8, told="never")) if features.last or last else None
        """Who has made the last step, where somebody asks for it."""
        self.moved = self._add(Field("moved", GLOBALS, 8, told="never")) if fair else None
        """The same for fairness; in a rendezvous, the sender."""
        self.met = self._add(Field("met", GLOBALS, 9, told="never")) if fair else None
        """The receiver, if the last step was a rendezvous: its pid and one."""
        self.instances: dict[tuple[int, str], Instance] = {}
        for pid, name in sorted(slots):
            process = model.process(name)
            self.instances[pid, name] = self._instance(pid, process, flows[name])

    def by_pid(self) -> dict[int, list[Instance]]:
        found: dict[int, list[Instance]] = {}
        for (pid, _), instance in self.instances.items():
            found.setdefault(pid, []).append(instance)
        return found

    def of_process(self, name: str) -> list[Instance]:
        return [instance for (_, process), instance in self.instances.items() if process == name]

    def banks_of(self, path: Path, instance: Instance | None) -> list[Bank]:
        """The channels that something may hold."""
        banks: list[Bank] = []
        fixed = path not in self.references.written
        for made in self.references.of(path):
            if made in self.banks:
                banks.append(self.banks[made])
            elif fixed and instance:
                banks.append(instance.banks[made])
            else:
                banks += [each.banks[made] for each in self.instances.values() if made in each.banks]
        return banks

    def add(self, item: Field) -> Field:
        return self._add(item)

    def _add(self, item: Field) -> Field:
        self.all.append(item)
        return item

    def _instance(self, pid: int, process: ast.Process, flow: Flow) -> Instance:
        name = f"{process.name}[{pid}]"
        places = sorted(flow.at, key=lambda place: place.kind != "end" and not flow.is_at(place, "end"))
        ends = sum(place.kind == "end" or flow.is_at(place, "end") for place in places)
        numbers = {place: number for number, place in enumerate(places, 1)}
        lines = Counter(place.span.line for place in places)
        names = ("-", *(_place_name(place, lines[place.span.line] > 1) for place in places))
        location = self._add(Field(name, name, bits_for(len(places) + 1), value_names=names, told="place"))
        priority = self._add(Field(f"{name}._priority", name, 8)) if self.prioritised else None
        instance = Instance(pid, process, flow, location, numbers, ends, priority)
        for variable in process.variables:
            self._declare(variable, name, f"{name}.", instance.variables, instance.banks)
        return instance

    def _declare(
        self,
        variable: terms.Variable,
        component: str,
        prefix: str,
        variables: dict[Path, Leaf],
        banks: dict[Path, Bank],
    ) -> None:
        for path in basic_paths(variable):
            sizes = tuple(part.size for part in path if part.size is not None)
            name = prefix + ".".join(part.name for part in path)
            if path in self.references.made:
                banks[path] = self._bank(name, self.references.made[path], prod(sizes))
                if path not in self.references.written:
                    continue
            if variable in self.unread:
                continue
            kind = path[-1].type
            assert isinstance(kind, terms.Basic)
            item = self._field(name, component, kind, sizes)
            if any(part.size is not None for part in path[:-1]):
                item = replace(item, element_names=tuple(_element_names(prefix, path)))
            variables[path] = Leaf(self._add(item), sizes)

    def _bank(self, name: str, channel: terms.Channel, count: int) -> Bank:
        first = self._channels + 1
        self._channels += count
        types = channel.fields
        if not channel.capacity:
            return Bank(name, first, count, 0, types, None, ())
        zeros = (0,) * count
        length = Field(f"{name}.length", name, bits_for(channel.capacity + 1), length=count, initial=zeros)
        cells = [
            self._field(f"{name}.{number}", name, kind, (count, channel.capacity), bytes_at_least=False)
            for number, kind in enumerate(types)
        ]
        for item in (length, *cells):
            self._add(item)
        return Bank(name, first, count, channel.capacity, types, length, tuple(cells))

    def symbol_names(self, subtype: str | None) -> tuple[str, ...]:
        """The names of the values 0, 1, … of a kind of mtype; none if it has none."""
        symbols = self._symbols.get(subtype, ())
        return ("0", *symbols) if symbols else ()

    def _field(
        self, name: str, component: str, kind: terms.Basic, sizes: tuple[int, ...], bytes_at_least: bool = True
    ) -> Field:
        width = _width(kind)
        signed = kind.name in _SIGNED
        names = self.symbol_names(kind.subtype) if kind.name == "mtype" else ()
        if not sizes:
            return Field(name, component, width, signed, value_names=names)
        if width < 8 and bytes_at_least:
            # Spin keeps arrays of bits as arrays of bytes, and so cuts values off at a byte only.
            width = 8
        count = prod(sizes)
        return Field(name, component, width, signed, count, (0,) * count, names)


def _element_names(prefix: str, path: Path) -> list[str]:
    """With each index behind what it belongs to: `r[1].v[0]`."""
    names = [prefix]
    for depth, part in enumerate(path):
        dot = "." if depth else ""
        indices = [""] if part.size is None else [f"[{index}]" for index in range(part.size)]
        names = [f"{name}{dot}{part.name}{index}" for name in names for index in indices]
    return names


def _place_name(place: Element, crowded: bool) -> str:
    """A label, or the line; with the column, if there are several places in it."""
    if place.kind == "end":
        return "end"
    line = f"{place.span.line}:{place.span.column}" if crowded else f"line {place.span.line}"
    return next(iter(sorted(place.labels)), line)


def _width(kind: terms.Basic) -> int:
    return kind.width or 1 if kind.name == "unsigned" else _BITS[kind.name]
