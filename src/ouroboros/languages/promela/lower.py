"""A Promela model as a System: which statements compete in which state.

* Processes interleave. While one is inside of an atomic sequence, only it moves; if it blocks, it gives up control,
  and takes it again with its next step.
* A rendezvous is one action of sender and receiver. Afterwards the receiver has control if it is inside of an atomic
  sequence; otherwise nobody has.
* An escape of `unless` comes before what it escapes from, `else` after all other options, `timeout` after all else in
  the whole system. To be ready to receive in a rendezvous is no reason against an `else`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ouroboros.errors import InputError
from ouroboros.languages.promela import ast
from ouroboros.languages.promela.claims import automata
from ouroboros.languages.promela.events import Events
from ouroboros.languages.promela.fields import GLOBALS, Fields, Instance, bank_fields
from ouroboros.languages.promela.flow import Death, Element, Group, Jump, Step
from ouroboros.languages.promela.lower_expressions import ChannelRef, Meaning
from ouroboros.languages.promela.lower_statements import StatementLowering, Temporaries, truncated
from ouroboros.languages.promela.lower_steps import lower_d_step
from ouroboros.languages.promela.processes import Creation
from ouroboros.languages.promela.reduction import Claims, own_business, steps_at
from ouroboros.languages.promela.sites import Sites
from ouroboros.languages.promela.trees import bodies, nodes
from ouroboros.languages.promela.written import Texts
from ouroboros.source import Source
from ouroboros.system.blocks import Assign, Block, Require, SetLocal, Statement
from ouroboros.system.choices import Action, All, Choice, Do, First, Part, Switch, When
from ouroboros.system.expressions import (
    FALSE,
    TRUE,
    Binary,
    Constant,
    Expression,
    Local,
    Read,
    Unary,
    conjunction,
    disjunction,
    equal,
    is_constant,
)
from ouroboros.system.interpret import execute
from ouroboros.system.layout import Field, Layout, bits_for
from ouroboros.system.model import Exclusive, NamedFormula, Proposition, Reduction, System

BLOCKED = "an atomic sequence blocks and gives up control"


class Lowering:
    """Lowers a model for the slots that its fields have."""

    def __init__(self, source: Source, model: ast.Model, fields: Fields) -> None:
        self.source = source
        self.model = model
        self.fields = fields
        self.sites = Sites()
        self.creation = Creation(model, fields, self.sites)
        self.events = Events(model.events, fields, self.sites) if model.events else None
        self._texts = {process.name: Texts(process) for process in model.processes}
        self.actions: list[Action] = []
        self.locals = 0
        self.reduction: Reduction | None = None
        self.claims = Claims(model, fields.references)
        self.held = {instance: _held_places(instance) for instance in fields.instances.values()}
        """The places at which a process may have control for itself."""
        self.control: Field | None = None
        if any(self.held.values()):
            pids = max(pid for pid, _ in fields.instances)
            self.control = fields.add(Field("atomic", GLOBALS, bits_for(pids + 2)))
        self._lowerings = {
            (instance, timeout): StatementLowering(
                Meaning(fields, self.sites, instance, timeout), self.creation, self.events
            )
            for instance in fields.instances.values()
            for timeout in (False, True)
        }
        self._known: dict[tuple[Instance, Step, bool, bool], int] = {}
        self._confirms_claims = False

    def system(self) -> System:
        choices = self.choices()
        layout = Layout(tuple(self.fields.all))
        endless = self.sites.site("loop", "an atomic sequence that does not end", None)
        system = System(
            name=self.source.name,
            language="promela",
            source=self.source,
            included=self.model.included,
            layout=layout,
            initial=(layout.initial(),),
            actions=tuple(self.actions),
            choices=choices,
            automata=tuple(automata(self.model, self.outside())),
            formulas=tuple(NamedFormula(formula.name, formula.formula) for formula in self.model.formulas),
            processes=tuple(instance.name for instance in self.fields.instances.values()),
            reduction=self.reduction,
            exclusive=Exclusive(self.control, endless) if self.control else None,
            valid_end=self.valid_end(),
            extends_finite_runs=True,
            locals=self.locals,
        )
        initial = (*self.creation.initial(), *(self.events.initial if self.events else ()))
        return replace(system, initial=(execute(system, layout.initial(), initial),), failures=self.sites.failures)

    def outside(self) -> Meaning:
        """What names mean in claims, formulas and other questions about states."""
        meaning = Meaning(self.fields, self.sites, None)
        meaning.enabled = self._can_move
        return meaning

    def fairness(self) -> tuple[Proposition, ...]:
        """For each slot: nobody there can move, or somebody just has."""
        assert self.fields.moved
        if self.fields.prioritised:
            raise InputError("weak fairness and priorities contradict each other", self.model.processes[0].span)
        conditions = []
        for pid, instances in self.fields.by_pid().items():
            ready = disjunction(*(self._enabled(self._moves(each, each.flow.at, False)) for each in instances))
            fair = disjunction(equal(self.fields.moved, pid), Unary("not", ready))
            conditions.append(Proposition(f"process {pid} moves or cannot", fair))
        return tuple(conditions)

    def _enabled(self, choice: Choice) -> Expression:
        """Whether a part of the choice tree has any step."""
        match choice:
            case Do(action):
                return self.actions[action].guard
            case All(children) | First(children):
                return disjunction(*map(self._enabled, children))
            case Switch(field, cases):
                return disjunction(*(conjunction(equal(field, value), self._enabled(child)) for value, child in cases))
            case When(guard, child):
                return conjunction(guard, self._enabled(child))

    def _can_move(self, instance: Instance) -> Expression:
        """Whether a process can make a step by itself, or offer a rendezvous."""
        ready: Expression = FALSE
        for place, groups in instance.flow.at.items():
            guards = [self._guard(instance, step) for group in groups for step in group.steps]
            if any(group.otherwise for group in groups):
                guards = [TRUE]
            at_place = equal(instance.location, instance.numbers[place])
            ready = disjunction(ready, conjunction(at_place, disjunction(*guards)))
        return conjunction(self.provided(instance), ready)

    def _guard(self, instance: Instance, step: Step) -> Expression:
        if not self._can_be_alone(instance, step):
            return TRUE if isinstance(step.statement, ast.Send) else FALSE
        return self.actions[self._action(instance, step, False)].guard

    def valid_end(self) -> Expression:
        return conjunction(
            *(
                Binary("<=", Read(instance.location), Constant(instance.ends))
                for instance in self.fields.instances.values()
            ),
            *([self.events.may_end()] if self.events else []),
        )

    # ── Who moves ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def choices(self) -> Choice:
        free, held = self._free(), self._held_moves()
        self.reduction = self._reduction(free, held)
        return self._with_control(free, held)

    def _free(self) -> Choice:
        """What can be done while no process has control for itself."""
        free = self._by_priority([(each, self._moves(each, each.flow.at, False)) for each in self._instances()])
        waiting = [
            (instance, [place for place in instance.flow.at if _mentions_timeout(instance, place)])
            for instance in self._instances()
        ]
        timeouts = [(instance, self._moves(instance, places, True)) for instance, places in waiting if places]
        if timeouts:
            free = First((free, self._by_priority(timeouts)))
        return free

    def _with_control(self, free: Choice, held: list[tuple[int, Choice]]) -> Choice:
        return Switch(self.control, ((0, free), *held)) if self.control else free

    def _reduction(self, free: Choice, held: list[tuple[int, Choice]]) -> Reduction | None:
        """The same, with processes that mind their own business first."""
        if self.fields.prioritised or self.fields.last or self.fields.moved:
            return None
        first: list[Choice] = []
        hidden: set[Field] = set()
        for instance in self._instances():
            places = own_business(self.model, instance.process, instance.flow, self.claims)
            if places:
                cases = [(instance.numbers[place], self._own(instance, place, hidden)) for place in places]
                first.append(Switch(instance.location, tuple(sorted(cases, key=lambda case: case[0]))))
                hidden.update((instance.location, *(leaf.field for leaf in instance.variables.values())))
        if not first:
            return None
        if self.claims.any:
            self._confirms_claims = True
            free, held = self._free(), self._held_moves()
            self._confirms_claims = False
        return Reduction(self._with_control(First((*first, free)), held), frozenset(hidden))

    def _own(self, instance: Instance, place: Element, hidden: set[Field]) -> Choice:
        """The steps at a place, while nobody else can have a say in them."""
        meaning = self._lowerings[instance, False].meaning
        conditions: list[Expression] = []
        for step in steps_at(instance.flow, place):
            if isinstance(step.statement, ast.Send | ast.Receive):
                channel = meaning.channel(step.statement.channel)
                conditions.append(meaning.ask("nfull" if isinstance(step.statement, ast.Send) else "nempty", channel))
                hidden.update(field for bank, _ in channel.options for field in bank_fields(bank))
        choice = self._at(instance, place, False)
        return When(conjunction(*conditions), choice) if conditions else choice

    def _claimed(self, instance: Instance, statement: ast.Send | ast.Receive) -> Block:
        """Fail where another process has claimed what this one does with a channel."""
        operation = "xs" if isinstance(statement, ast.Send) else "xr"
        channel = self._channel(instance, statement)
        block: list[Statement] = []
        for other in self.fields.instances.values():
            for claim in self.claims.claimed.get(other.process.name, ()):
                if claim.operation != operation or other.pid == instance.pid:
                    continue
                for access in claim.channels:
                    theirs = self._lowerings[other, False].meaning.channel(access)
                    if not any(bank is each for bank, _ in channel.options for each, _ in theirs.options):
                        continue
                    same = conjunction(Read(other.location), Binary("==", channel.number, theirs.number))
                    site = self.sites.site(
                        "channel", f"{other.process.name} has claimed this channel with {operation}", statement.span
                    )
                    block.append(Require(Unary("not", same), site))
        return tuple(block)

    def _held_moves(self) -> list[tuple[int, Choice]]:
        """What can be done by a process that has control."""
        cases: list[tuple[int, Choice]] = []
        for pid, instances in self.fields.by_pid().items():
            moves = [self._moves(instance, self.held[instance], False) for instance in instances if self.held[instance]]
            if moves:
                cases.append((pid + 1, First((All(tuple(moves)), Do(self._release(instances[0]))))))
        return cases

    def _by_priority(self, moves: list[tuple[Instance, Choice]]) -> Choice:
        """Only those move that have the highest priority of all that can."""
        if not self.fields.prioritised:
            return All(tuple(choice for _, choice in moves))
        levels = sorted(self._priorities(), reverse=True)
        return First(
            tuple(
                All(
                    tuple(
                        When(equal(instance.priority, level), choice) for instance, choice in moves if instance.priority
                    )
                )
                for level in levels
            )
        )

    def _priorities(self) -> set[int]:
        """All priorities that a process may ever have."""
        found = {1, *(process.priority for process in self.model.processes if process.priority)}
        for _, tree in bodies(self.model):
            for node in nodes(tree):
                match node:
                    case ast.Run(_, _, _, int(priority)):
                        found.add(priority)
                    case ast.SetPriority(_, _, value) | ast.Assignment(_, ast.Predefined(_, "_priority"), value):
                        if not isinstance(value, ast.Number):
                            raise InputError("a priority must be a constant", value.span)
                        found.add(value.value)
        return found

    def _instances(self) -> list[Instance]:
        """Those with the highest pid first, as Spin does."""
        return sorted(self.fields.instances.values(), key=lambda instance: -instance.pid)

    def _release(self, instance: Instance) -> int:
        assert self.control
        part = Part(instance.name, BLOCKED, None)
        self.actions.append(Action((part,), (Assign(self.control, None, Constant(0)),)))
        return len(self.actions) - 1

    def _moves(self, instance: Instance, places: Iterable[Element], timeout: bool) -> Choice:
        cases = [(instance.numbers[place], self._at(instance, place, timeout)) for place in places]
        choice: Choice = Switch(instance.location, tuple(sorted(cases, key=lambda case: case[0])))
        provided = self.provided(instance)
        return choice if is_constant(provided, 1) else When(provided, choice)

    def provided(self, instance: Instance) -> Expression:
        clause = instance.process.provided
        return TRUE if clause is None else self._lowerings[instance, False].meaning.lower(clause)

    def _at(self, instance: Instance, place: Element, timeout: bool) -> Choice:
        groups = [self._group(instance, group, timeout) for group in instance.flow.at[place]]
        return groups[0] if len(groups) == 1 else First(tuple(groups))

    def _group(self, instance: Instance, group: Group, timeout: bool) -> Choice:
        moves: list[Choice] = []
        for step in group.steps:
            if self._can_be_alone(instance, step):
                moves.append(Do(self._action(instance, step, timeout)))
            if isinstance(step.statement, ast.Send):
                moves += self._handshakes(instance, step, step.statement)
        choice = moves[0] if len(moves) == 1 else All(tuple(moves))
        if group.otherwise:
            return First((choice, Do(self._action(instance, group.otherwise, timeout))))
        return choice

    # ── Steps of one process ──────────────────────────────────────────────────────────────────────────────────────────

    def _can_be_alone(self, instance: Instance, step: Step) -> bool:
        """Whether a step is more than one side of a handshake."""
        if not isinstance(step.statement, ast.Send | ast.Receive):
            return True
        channel = self._channel(instance, step.statement)
        return channel.value is not None or bool(channel.options[0][0].capacity)

    def _channel(self, instance: Instance, statement: ast.Send | ast.Receive) -> ChannelRef:
        return self._lowerings[instance, False].meaning.channel(statement.channel)

    def _action(self, instance: Instance, step: Step, timeout: bool) -> int:
        confirms = self._confirms_claims and isinstance(step.statement, ast.Send | ast.Receive)
        known = self._known.get((instance, step, timeout, confirms))
        if known is not None:
            return known
        temporaries = Temporaries()
        lowering = self._lowerings[instance, timeout]
        if isinstance(step.statement, ast.DStep):
            lowered = lower_d_step(step.element, lowering, temporaries)
        else:
            lowered = lowering.lower(step.statement, temporaries)
        effect = (*lowered.effect, *self._arrive(instance, step), *self._hand_over(instance, step))
        if confirms:
            assert isinstance(step.statement, ast.Send | ast.Receive)
            effect = (*self._claimed(instance, step.statement), *effect)
        number = self._add(Action((self._part(instance, step),), effect, lowered.guard), temporaries)
        self._known[instance, step, timeout, confirms] = number
        return number

    def _add(self, action: Action, temporaries: Temporaries) -> int:
        self.locals = max(self.locals, temporaries.count)
        self.actions.append(action)
        return len(self.actions) - 1

    def _part(self, instance: Instance, step: Step) -> Part:
        match step.statement:
            case Death():
                text = "-end-"
            case Jump():
                text = "goto"
            case ast.Else():
                text = "else"
            case ast.DStep():
                text = "d_step"
            case statement:
                text = self._texts[instance.process.name].of(statement)
        return Part(instance.name, text, step.element.span, instance.flow.number_of(step.element))

    def _arrive(self, instance: Instance, step: Step) -> Block:
        if step.target is None:
            return ()
        return (Assign(instance.location, None, Constant(instance.numbers[step.target])),)

    def _hand_over(self, instance: Instance, step: Step, mover: Instance | None = None) -> Block:
        """Who has control after a step that ends with this process, and that it was this one."""
        block: list[Statement] = []
        if self.fields.moved:
            block.append(Assign(self.fields.moved, None, Constant((mover or instance).pid)))
        if self.fields.last:
            block.append(Assign(self.fields.last, None, Constant(instance.pid)))
        if self.control:
            block.append(Assign(self.control, None, Constant(instance.pid + 1 if step.keeps else 0)))
        return tuple(block)

    # ── Handshakes ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _handshakes(self, sender: Instance, step: Step, send: ast.Send) -> Iterator[Choice]:
        """All partners of a sender: for each process what it can do where it is."""
        channel = self._channel(sender, send)
        if not any(not bank.capacity for bank, _ in channel.options):
            return
        for receiver in self._instances():
            if receiver.pid == sender.pid:
                continue
            cases: list[tuple[int, Choice]] = []
            for place, groups in receiver.flow.at.items():
                found = [self._handshake_group(sender, step, send, channel, receiver, group) for group in groups]
                found = [choices for choices in found if choices]
                if found:
                    competing: list[Choice] = [All(tuple(choices)) for choices in found]
                    cases.append(
                        (receiver.numbers[place], competing[0] if len(competing) == 1 else First(tuple(competing)))
                    )
            if cases:
                choice: Choice = Switch(receiver.location, tuple(sorted(cases, key=lambda case: case[0])))
                provided = self.provided(receiver)
                yield choice if is_constant(provided, 1) else When(provided, choice)

    def _handshake_group(
        self, sender: Instance, step: Step, send: ast.Send, channel: ChannelRef, receiver: Instance, group: Group
    ) -> list[Choice]:
        found: list[Choice] = []
        for partner in group.steps:
            if isinstance(partner.statement, ast.Receive):
                action = self._together(sender, step, send, channel, receiver, partner, partner.statement)
                if action is not None:
                    found.append(Do(action))
        return found

    def _together(
        self,
        sender: Instance,
        step: Step,
        send: ast.Send,
        channel: ChannelRef,
        receiver: Instance,
        partner: Step,
        receive: ast.Receive,
    ) -> int | None:
        meets = _same_rendezvous(channel, self._channel(receiver, receive))
        if is_constant(meets, 0) or len(send.arguments) != len(receive.arguments):
            return None
        bank = next(bank for bank, _ in channel.options if not bank.capacity)
        temporaries = Temporaries()
        giving, taking = self._lowerings[sender, False], self._lowerings[receiver, False]
        values: list[Expression] = [
            truncated(giving.meaning.lower(argument), bank, position)
            for position, argument in enumerate(send.arguments)
        ]
        wanted = [
            Binary("==", value, taking.meaning.lower(argument.value))
            for value, argument in zip(values, receive.arguments, strict=True)
            if isinstance(argument, ast.Match)
        ]
        guard = conjunction(meets, *wanted)
        effect: list[Statement] = []
        carried: list[tuple[ast.Access, Local]] = []
        for value, argument in zip(values, receive.arguments, strict=True):
            if isinstance(argument, ast.Access):
                local = temporaries.new()
                effect.append(SetLocal(local.slot, value))
                carried.append((argument, local))
        effect += self._arrive(sender, step)
        index = next(index for each, index in channel.options if each is bank)
        effect += (*giving.seen(True, bank, index, values), *giving.seen(False, bank, index, values))
        for place, local in carried:
            effect += taking.assign(place, local)
        effect += self._arrive(receiver, partner)
        effect += self._hand_over(receiver, partner, sender)
        parts = (self._part(sender, step), self._part(receiver, partner))
        return self._add(Action(parts, tuple(effect), guard), temporaries)


def _held_places(instance: Instance) -> list[Element]:
    """Where a process comes with a step that keeps control."""
    held = {
        step.target
        for groups in instance.flow.at.values()
        for group in groups
        for step in (*group.steps, *([group.otherwise] if group.otherwise else []))
        if step.keeps and step.target
    }
    return [place for place in instance.flow.at if place in held]


def _mentions_timeout(instance: Instance, place: Element) -> bool:
    for group in instance.flow.at[place]:
        for step in group.steps:
            tree = step.statement.body if isinstance(step.statement, ast.DStep) else step.statement
            if any(isinstance(node, ast.Predefined) and node.name == "timeout" for node in nodes(tree)):
                return True
    return False


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
    if first.value is None or second.value is None:
        return same
    return conjunction(disjunction(*(first.is_in(bank) for bank in banks)), same)
