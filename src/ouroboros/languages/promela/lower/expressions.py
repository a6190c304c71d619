"""Promela's expressions as those of a System, for a process in its slot, or for no process in particular."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from ouroboros.errors import InputError
from ouroboros.languages.promela.flow.references import path_of
from ouroboros.languages.promela.lower.channels import ChannelRef, Messages, length_of, minus, plus, times
from ouroboros.languages.promela.lower.fields import Bank, Fields, Instance, Leaf
from ouroboros.languages.promela.lower.sites import Sites, failing
from ouroboros.languages.promela.read import terms
from ouroboros.languages.promela.read.constants import constant
from ouroboros.system.expressions import (
    FALSE,
    NO_SITE,
    TRUE,
    Binary,
    BinaryOperator,
    Check,
    Conditional,
    Constant,
    Expression,
    Local,
    Read,
    Unary,
    conjunction,
    disjunction,
    equal,
)
from ouroboros.system.layout import Field

_OPERATORS: dict[str, BinaryOperator] = {"&&": "and", "||": "or"}


class Meaning:
    """What names mean: in a process, or, for claims, propositions and initial values of globals, outside of all."""

    def __init__(self, fields: Fields, sites: Sites, instance: Instance | None, timeout: bool = False) -> None:
        self.fields = fields
        self.sites = sites
        self.instance = instance
        self.timeout = timeout
        self.enabled: Callable[[Instance], Expression] | None = None
        """Whether a process can make a step: for those who may ask."""
        self.runs: dict[terms.Run, Local] = {}
        """The temporary that holds the pid of a process that a statement has just run."""

    def lower(self, expression: terms.Expression) -> Expression:
        match expression:
            case terms.Number(_, value) | terms.Symbol(_, _, value):
                return Constant(value)
            case terms.Access():
                return self.read(expression)
            case terms.Predefined():
                return self.predefined(expression)
            case terms.Unary(_, "!", operand):
                return Unary("not", self.lower(operand))
            case terms.Unary(_, operator, operand):
                assert operator != "!"
                return Unary(operator, self.lower(operand))
            case terms.Binary(span, operator, left, right):
                site = NO_SITE
                if operator in ("/", "%"):
                    site = self.sites.site("division", "division by zero", span)
                lowered = cast(BinaryOperator, _OPERATORS.get(operator, operator))
                return Binary(lowered, self.lower(left), self.lower(right), site)
            case terms.Conditional(_, condition, yes, no):
                return Conditional(self.lower(condition), self.lower(yes), self.lower(no))
            case terms.Run(span):
                if expression in self.runs:
                    return self.runs[expression]
                raise InputError("`run` cannot stand here: write it as a statement, or assign its value", span)
            case terms.AskChannel(_, question, channel):
                return self.ask(question, self.channel(channel))
            case terms.Poll():
                return self.poll(expression)
            case terms.AskProcess():
                return self.ask_process(expression)
            case terms.RemoteLabel():
                return self.remote_label(expression)
            case terms.RemoteVariable():
                return self.remote_variable(expression)

    # ── Variables ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def leaf(self, access: terms.Access) -> Leaf | None:
        """Where a variable is kept; None for a channel that never changes, and for what is never read."""
        path = path_of(access)
        if self.instance and path in self.instance.variables:
            return self.instance.variables[path]
        return self.fields.variables.get(path)

    def read(self, access: terms.Access) -> Expression:
        leaf = self.leaf(access)
        if leaf is None:
            return self.channel(access).number
        item, at, site = self.element(leaf, access)
        return Read(item, at, site)

    def element(self, leaf: Leaf, access: terms.Access) -> tuple[Field, Expression | None, int]:
        """The field, the index into it, and the site at which an index fails."""
        if not leaf.sizes:
            return leaf.field, None, NO_SITE
        indices = self.indices(access)
        if len(indices) == 1:
            return leaf.field, indices[0][0], self.index_site(access, *indices[0][1:])
        return leaf.field, self.linear(access), NO_SITE

    def indices(self, access: terms.Access) -> list[tuple[Expression, int, str]]:
        """The index of each array on the way, with its size and name; an array without an index means its first
        element."""
        parts = [(access.variable, access.at), *((member.field, member.at) for member in access.members)]
        return [
            (Constant(0) if at is None else self.lower(at), part.size, part.name)
            for part, at in parts
            if part.size is not None
        ]

    def linear(self, access: terms.Access) -> Expression:
        """One index for all arrays on the way, each checked by itself."""
        result: Expression = Constant(0)
        for index, size, name in self.indices(access):
            checked = index
            if not (isinstance(index, Constant) and 0 <= index.value < size):
                checked = Check(index, 0, size - 1, self.index_site(access, size, name))
            result = plus(times(result, size), checked)
        return result

    def index_site(self, access: terms.Access, size: int, name: str) -> int:
        return self.sites.site("index", f"index out of range: `{name}` has {size} elements", access.span)

    # ── Channels ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def channel(self, access: terms.Access) -> ChannelRef:
        path = path_of(access)
        banks = self.fields.banks_of(path, self.instance)
        site = self.sites.site("channel", f"`{access.last.name}` is no channel that exists", access.span)
        leaf = self.leaf(access)
        if leaf is None:
            if not banks:
                raise InputError(f"`{access.last.name}` is no channel", access.span)
            return ChannelRef(((banks[0], self.linear(access)),), None, site, self.fields.procedures)
        item, at, index_site = self.element(leaf, access)
        value = Read(item, at, index_site)
        options = tuple((bank, minus(value, bank.first)) for bank in banks)
        return ChannelRef(options, value, site, self.fields.procedures)

    def ask(self, question: terms.ChannelQuestion, channel: ChannelRef) -> Expression:
        def answer(bank: Bank, index: Expression) -> Expression:
            length = length_of(bank, index)
            match question:
                case "len":
                    return length
                case "empty":
                    return Binary("==", length, Constant(0))
                case "nempty":
                    return Binary(">", length, Constant(0))
                case "full":
                    return Binary("==", length, Constant(bank.capacity))
                case "nfull":
                    return Binary("<", length, Constant(bank.capacity))

        return channel.value(question, answer)

    def poll(self, poll: terms.Poll) -> Expression:
        site = self.sites.site("channel", "a rendezvous channel cannot be polled", poll.span)
        return self.channel(poll.channel).over_messages(
            lambda messages: self.has_message(messages, poll.arguments, poll.random), failing(site)
        )

    def has_message(self, messages: Messages, arguments: Sequence[terms.ReceiveArgument], anywhere: bool) -> Expression:
        """Whether the first message, or any, is as wanted."""
        return disjunction(
            *(
                conjunction(Binary(">", messages.length, Constant(at)), self.matches(messages, at, arguments))
                for at in range(messages.capacity if anywhere else 1)
            )
        )

    def matches(self, messages: Messages, at: int, arguments: Sequence[terms.ReceiveArgument]) -> Expression:
        return conjunction(
            *(
                Binary("==", messages.value(position, Constant(at)), self.lower(argument.value))
                for position, argument in zip(messages.values, arguments, strict=False)
                if isinstance(argument, terms.Match)
            )
        )

    # ── Other processes ───────────────────────────────────────────────────────────────────────────────────────────────

    def predefined(self, item: terms.Predefined) -> Expression:
        match item.name:
            case "_pid":
                if self.instance is None:
                    raise InputError("`_pid` means nothing outside of processes", item.span)
                return Constant(self.instance.pid)
            case "_nr_pr":
                return Read(self.fields.alive)
            case "timeout":
                return TRUE if self.timeout else FALSE
            case "np_":
                return self.no_progress()
            case "_last":
                assert self.fields.last
                return Read(self.fields.last)
            case "_priority":
                if self.instance is None or self.instance.priority is None:
                    raise InputError("`_priority` means nothing outside of processes", item.span)
                return Read(self.instance.priority)

    def no_progress(self) -> Expression:
        return conjunction(
            *(
                Unary("not", equal(instance.location, number))
                for instance in self.fields.instances.values()
                for place, number in instance.numbers.items()
                if instance.flow.is_at(place, "progress")
            )
        )

    def remote_label(self, reference: terms.RemoteLabel) -> Expression:
        def at_label(instance: Instance) -> Expression:
            place = instance.flow.place_of(reference.label)
            return FALSE if place is None else equal(instance.location, instance.numbers[place])

        return self._remote(reference.process, reference.pid, at_label, reference)

    def remote_variable(self, reference: terms.RemoteVariable) -> Expression:
        access = terms.Access(reference.span, reference.variable, reference.at, ())

        def variable(instance: Instance) -> Expression:
            return Meaning(self.fields, self.sites, instance).read(access)

        return self._remote(reference.process, reference.pid, variable, reference)

    def _remote(
        self,
        process: str,
        pid: terms.Expression | None,
        make: Callable[[Instance], Expression],
        reference: terms.RemoteLabel | terms.RemoteVariable,
    ) -> Expression:
        instances = self.fields.of_process(process)
        result: Expression = FALSE
        if pid is None:
            # The one that exists; of several the one with the lowest pid.
            for instance in reversed(instances):
                result = Conditional(Read(instance.location), make(instance), result)
            return result
        self._warn_of_pid(process, pid, reference)
        which = self.lower(pid)
        for instance in reversed(instances):
            found = conjunction(Binary("==", which, Constant(instance.pid)), Read(instance.location))
            result = Conditional(found, make(instance), result)
        return result

    def _warn_of_pid(
        self, process: str, pid: terms.Expression, reference: terms.RemoteLabel | terms.RemoteVariable
    ) -> None:
        """Of a number that belongs to no such process, as far as is known: then the reference is false, or 0."""
        number = constant(pid)
        if number is None or (number, process) in self.fields.instances:
            return
        others = [instance.process.name for instance in self.fields.by_pid().get(number, ())]
        if not others and self.fields.dynamic:
            return
        who = f"process {number} is `{'` or `'.join(others)}`" if others else f"there is no process {number}"
        numbers = ", ".join(str(instance.pid) for instance in self.fields.of_process(process))
        known = f": `{process}` is process {numbers}" if numbers else ""
        value = "false" if isinstance(reference, terms.RemoteLabel) else "0"
        self.sites.warn(f"{who}, and no `{process}`, so that this is {value}{known}", reference.span)

    def ask_process(self, question: terms.AskProcess) -> Expression:
        which = self.lower(question.process)
        result: Expression = FALSE
        for instance in self.fields.instances.values():
            is_it = conjunction(Binary("==", which, Constant(instance.pid)), Read(instance.location))
            match question.question:
                case "pc_value":
                    answer: Expression = Read(instance.location)
                case "get_priority":
                    answer = Read(instance.priority) if instance.priority else Constant(1)
                case "enabled":
                    if self.enabled is None:
                        raise InputError("`enabled` can only be asked in a claim or a formula", question.span)
                    answer = self.enabled(instance)
            result = Conditional(is_it, answer, result)
        return result
