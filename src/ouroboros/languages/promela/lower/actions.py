"""The steps of processes as actions: of one process alone, or of two that meet in a rendezvous.

A rendezvous is one action of sender and receiver. Afterwards the receiver has control if it is inside of an atomic
sequence; otherwise nobody has.
"""

from __future__ import annotations

from dataclasses import dataclass

from ouroboros.languages.promela.flow.elements import Jump
from ouroboros.languages.promela.flow.flow import Step
from ouroboros.languages.promela.flow.written import Texts
from ouroboros.languages.promela.lower.channels import ChannelRef
from ouroboros.languages.promela.lower.d_steps import lower_d_step, rest_of_d_step
from ouroboros.languages.promela.lower.fields import Fields, Instance
from ouroboros.languages.promela.lower.procedures import Temporaries
from ouroboros.languages.promela.lower.statements import StatementLowering, truncated
from ouroboros.languages.promela.read import ast, terms
from ouroboros.system.blocks import Assign, Block, SetLocal, Statement
from ouroboros.system.choices import Action, Part
from ouroboros.system.expressions import (
    FALSE,
    TRUE,
    Binary,
    Constant,
    Expression,
    Local,
    conjunction,
    disjunction,
    is_constant,
)
from ouroboros.system.layout import Field

BLOCKED = "an atomic sequence blocks and gives up control"


@dataclass(frozen=True, eq=False)
class Ground:
    """What all steps of a model stand on."""

    fields: Fields
    statements: dict[tuple[Instance, bool], StatementLowering]
    """The statements of each process; also where `timeout` is true."""
    texts: dict[str, Texts]
    """By proctype."""
    control: Field | None
    """Who has control for itself, where there are atomic sequences: the pid and one."""

    def channel(self, instance: Instance, statement: ast.Send | ast.Receive) -> ChannelRef:
        return self.statements[instance, False].meaning.channel(statement.channel)

    def can_be_alone(self, instance: Instance, step: Step) -> bool:
        """Whether a step is more than one side of a handshake."""
        if not isinstance(step.statement, ast.Send | ast.Receive):
            return True
        channel = self.channel(instance, step.statement)
        return channel.variable is not None or bool(channel.options[0][0].capacity)


class Actions:
    """The actions of a model, each made when it is first asked for."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.all: list[Action] = []
        self.locals = 0
        self._alone: dict[tuple[Instance, Step, bool], int] = {}
        self._together: dict[tuple[Instance, Step, Instance, Step, Step], int] = {}
        self._releases: dict[int, int] = {}

    def alone(self, instance: Instance, step: Step, timeout: bool) -> int:
        """A step of one process."""
        known = self._alone.get((instance, step, timeout))
        if known is None:
            known = self._alone[instance, step, timeout] = self._make_alone(instance, step, timeout)
        return known

    def together(self, sender: Instance, step: Step, receiver: Instance, partner: Step, first: Step) -> int | None:
        """A rendezvous; None where these two can never meet in one. The receiver's first statement is its step, or
        what a d_step begins with."""
        key = (sender, step, receiver, partner, first)
        if key not in self._together:
            made = self._make_together(*key)
            if made is None:
                return None
            self._together[key] = made
        return self._together[key]

    def release(self, instance: Instance) -> int:
        """A process gives up control."""
        assert self.ground.control
        if instance.pid not in self._releases:
            part = Part(instance.name, BLOCKED, None)
            action = Action((part,), (Assign(self.ground.control, None, Constant(0)),))
            self._releases[instance.pid] = self._add(action, Temporaries())
        return self._releases[instance.pid]

    def _make_alone(self, instance: Instance, step: Step, timeout: bool) -> int:
        temporaries = Temporaries()
        lowering = self.ground.statements[instance, timeout]
        if isinstance(step.statement, ast.DStep):
            lowered = lower_d_step(step.element, lowering, temporaries, self.ground.texts[instance.process.name])
        else:
            lowered = lowering.lower(step.statement, temporaries)
        effect = (
            *lowered.effect,
            *self._arrive(instance, step),
            *self._hand_over(instance, step),
        )
        return self._add(Action((self._part(instance, step),), effect, lowered.guard), temporaries)

    def _make_together(
        self, sender: Instance, step: Step, receiver: Instance, partner: Step, first: Step
    ) -> int | None:
        send, receive = step.statement, first.statement
        assert isinstance(send, ast.Send)
        assert isinstance(receive, ast.Receive)
        channel = self.ground.channel(sender, send)
        meets = _same_rendezvous(channel, self.ground.channel(receiver, receive))
        if is_constant(meets, 0) or len(send.arguments) != len(receive.arguments):
            return None
        bank = next(bank for bank, _ in channel.options if not bank.capacity)
        temporaries = Temporaries()
        giving, taking = self.ground.statements[sender, False], self.ground.statements[receiver, False]
        values: list[Expression] = [
            truncated(giving.meaning.lower(argument), bank, position)
            for position, argument in enumerate(send.arguments)
        ]
        wanted = [
            Binary("==", value, taking.meaning.lower(argument.value))
            for value, argument in zip(values, receive.arguments, strict=True)
            if isinstance(argument, terms.Match)
        ]
        effect: list[Statement] = [*giving.respect(send), *taking.respect(receive)]
        carried: list[tuple[terms.Access, Local]] = []
        for value, argument in zip(values, receive.arguments, strict=True):
            if isinstance(argument, terms.Access):
                local = temporaries.new()
                effect.append(SetLocal(local.slot, value))
                carried.append((argument, local))
        index = next(index for each, index in channel.options if each is bank)
        effect += (*giving.seen(True, bank, index, values), *giving.seen(False, bank, index, values))
        for place, local in carried:
            effect += taking.assign(place, local)
        if isinstance(partner.statement, ast.DStep):
            texts = self.ground.texts[receiver.process.name]
            effect += rest_of_d_step(partner.element, first, taking, temporaries, texts)
        effect += self._arrive(sender, step)
        effect += self._arrive(receiver, partner)
        effect += self._hand_over(receiver, partner, sender)
        parts = (self._part(sender, step), self._part(receiver, partner, first))
        return self._add(Action(parts, tuple(effect), conjunction(meets, *wanted)), temporaries)

    def _arrive(self, instance: Instance, step: Step) -> Block:
        """A process comes to its next place."""
        if step.target is None:
            return ()
        return (Assign(instance.location, None, Constant(instance.numbers[step.target])),)

    def _hand_over(self, instance: Instance, step: Step, mover: Instance | None = None) -> Block:
        """Who has control after a step that ends with this process, and that it was this one."""
        fields, control = self.ground.fields, self.ground.control
        block: list[Statement] = []
        if fields.moved:
            block.append(Assign(fields.moved, None, Constant((mover or instance).pid)))
        if fields.met:
            block.append(Assign(fields.met, None, Constant(instance.pid + 1 if mover else 0)))
        if fields.last:
            block.append(Assign(fields.last, None, Constant(instance.pid)))
        if control:
            block.append(Assign(control, None, Constant(instance.pid + 1 if step.keeps else 0)))
        return tuple(block)

    def _part(self, instance: Instance, step: Step, first: Step | None = None) -> Part:
        """`first` is what a handshake has a part in, where the step is a d_step that begins with it."""
        told = first or step
        text = self.ground.texts[instance.process.name].of(told.statement)
        number = instance.flow.number_of(step.element)
        return Part(instance.name, text, told.element.span, number, isinstance(step.statement, Jump))

    def _add(self, action: Action, temporaries: Temporaries) -> int:
        self.locals = max(self.locals, temporaries.count)
        self.all.append(action)
        return len(self.all) - 1


def _same_rendezvous(first: ChannelRef, second: ChannelRef) -> Expression:
    """Whether two expressions name the same channel, and it has no buffer."""
    banks = [
        bank for bank, _ in first.options if not bank.capacity and any(bank is other for other, _ in second.options)
    ]
    if not banks:
        return FALSE
    same: Expression = Binary("==", first.number, second.number)
    match first.number, second.number:
        case Constant(left), Constant(right):
            return TRUE if left == right else FALSE
    if first.variable is None or second.variable is None:
        return same
    return conjunction(disjunction(*(first.is_in(bank) for bank in banks)), same)
