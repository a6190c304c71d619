"""The birth and death of processes, with the channels that belong to them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ouroboros.languages.promela.flow.references import Path
from ouroboros.languages.promela.lower.expressions import Meaning
from ouroboros.languages.promela.lower.fields import Bank, Fields, Instance, Leaf
from ouroboros.languages.promela.lower.procedures import MANY, Temporaries, chosen_block
from ouroboros.languages.promela.lower.sites import Sites
from ouroboros.languages.promela.read import ast, terms
from ouroboros.system.blocks import Assign, Block, If, Require, SetLocal, Statement
from ouroboros.system.expressions import FALSE, Binary, Constant, Expression, Local, Read, equal, is_constant


class Creation:
    """How processes are made; where a slot is missing, the failure says which, and `missing` has it by its site."""

    def __init__(self, model: ast.Model, fields: Fields, sites: Sites) -> None:
        self.model = model
        self.fields = fields
        self.sites = sites
        self.missing: dict[int, tuple[int, str]] = {}

    def create(self, run: terms.Run, arguments: Sequence[Expression], pid: Local) -> Block:
        """Make a process in the next free slot, and keep its pid."""
        pids = max(pid for pid, _ in self.fields.instances) + 1
        if pids > MANY:
            key = ("run", run.process, run.priority)
            call = self.fields.procedures.call(key, arguments, partial(self._create_any, run, pids))
            return (SetLocal(pid.slot, call),)
        block: Block = self._no_room(pids, run)
        for number in reversed(range(1, pids)):
            block = (If(equal(self.fields.alive, number), self._create(run, number, arguments), block),)
        return (SetLocal(pid.slot, Read(self.fields.alive)), *block, self._one_more)

    def _create_any(
        self, run: terms.Run, pids: int, arguments: Sequence[Expression], temporaries: Temporaries
    ) -> tuple[Block, Expression]:
        pid = temporaries.new()
        cases = [(number, self._create(run, number, arguments)) for number in range(1, pids)]
        create = chosen_block(pid, [*cases, (pids, self._no_room(pids, run))])
        return (SetLocal(pid.slot, Read(self.fields.alive)), *create, self._one_more), pid

    def _create(self, run: terms.Run, pid: int, arguments: Sequence[Expression]) -> Block:
        instance = self.fields.instances.get((pid, run.process))
        if instance is None:
            return self._no_room(pid, run)
        # Where this is the next pid it is free. Said once more, it tells from where this place is come to.
        # As in Spin, the priority of a proctype is that of its active processes alone.
        return (If(equal(instance.location, 0), self.begin(instance, arguments, run.priority or 1)),)

    @property
    def _one_more(self) -> Statement:
        return Assign(self.fields.alive, None, Binary("+", Read(self.fields.alive), Constant(1)))

    def _no_room(self, pid: int, run: terms.Run) -> Block:
        site = self.sites.site("room", f"no slot for {run.process} as process {pid}", run.span)
        self.missing[site] = (pid, run.process)
        return (Require(FALSE, site),)

    def begin(self, instance: Instance, arguments: Sequence[Expression], priority: int) -> Block:
        """The first state of a process: parameters, then other variables in the order of their declaration."""
        block: list[Statement] = []
        if instance.priority:
            block.append(Assign(instance.priority, None, Constant(priority)))
        meaning = Meaning(self.fields, self.sites, instance)
        for parameter, argument in zip(instance.process.parameters, arguments, strict=False):
            leaf = instance.variables.get((parameter,))
            if leaf:
                block.append(Assign(leaf.field, None, argument))
        for variable in instance.process.variables:
            if not variable.parameter:
                block += initial_values(variable, instance.variables, instance.banks, meaning)
        block.append(Assign(instance.location, None, Constant(instance.numbers[instance.flow.start])))
        return tuple(block)

    def initial(self) -> Block:
        """From a state of zeros to the initial state."""
        outside = Meaning(self.fields, self.sites, None)
        block: list[Statement] = []
        for variable in self.model.globals:
            block += initial_values(variable, self.fields.variables, self.fields.banks, outside)
        pid = 0
        for process in self.model.processes:
            for _ in range(process.active):
                instance = self.fields.instances[pid, process.name]
                block.append(Assign(self.fields.alive, None, Constant(pid + 1)))
                block += self.begin(instance, (), instance.process.priority or 1)
                pid += 1
        return tuple(block)


def death(fields: Fields, instance: Instance) -> tuple[Expression, Block]:
    """Only the youngest process can go, with all that is its own."""
    block: list[Statement] = [Assign(fields.alive, None, Constant(instance.pid))]
    for item in instance.fields():
        if item.length is None:
            block.append(Assign(item, None, Constant(0)))
        else:
            block += [Assign(item, Constant(index), Constant(0)) for index in range(item.length)]
    return equal(fields.alive, instance.pid + 1), tuple(block)


def initial_values(
    variable: terms.Variable, variables: dict[Path, Leaf], banks: dict[Path, Bank], meaning: Meaning
) -> Block:
    """Assign what a declaration says; what it does not mention is zero already."""
    block: list[Statement] = []
    for path in [path for path in (*variables, *banks) if path[0] is variable]:
        leaf = variables.get(path)
        initial = path[-1].initial
        if leaf is None or initial is None:
            continue
        outer = leaf.field.elements // (path[-1].size or 1)
        for each in range(outer):
            for at in range(path[-1].size or 1):
                value = _initial_value(initial, at, banks.get(path), each * (path[-1].size or 1) + at, meaning)
                index = Constant(each * (path[-1].size or 1) + at) if leaf.sizes else None
                if not is_constant(value, 0):
                    block.append(Assign(leaf.field, index, value))
    # A variable that holds a channel and has a bank is listed twice.
    return tuple(dict.fromkeys(block))


def _initial_value(initial: terms.Initial, at: int, bank: Bank | None, number: int, meaning: Meaning) -> Expression:
    match initial:
        case terms.Channel():
            assert bank
            return Constant(bank.first + number)
        case terms.ArrayValues(_, values):
            return meaning.lower(values[min(at, len(values) - 1)])
        case _:
            return meaning.lower(initial)
