"""A checked DVE model as a System: which transitions compete in which state.

Committed states: while a process is in one that has transitions at all, only processes in committed states move, and
they shake hands only among themselves. Where none of them can, the system is in a deadlock.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ouroboros.languages.dve.fields import Fields
from ouroboros.languages.dve.lower_expressions import ExpressionLowering
from ouroboros.languages.dve.lower_synchronous import SynchronousLowering
from ouroboros.languages.dve.lower_transitions import LoweredTransition, TransitionLowering, statement_text
from ouroboros.languages.dve.model import Channel, Model, Process, Receive, Send
from ouroboros.system.choices import Action, All, Choice, Do, Switch, When
from ouroboros.system.expressions import TRUE, Binary, Expression, Unary, equal
from ouroboros.system.layout import Layout
from ouroboros.system.model import AutomatonStep, Overflow, PropertyAutomaton, Proposition, System


def lower(model: Model, fields: Fields, overflow: Overflow) -> System:
    return _Lowering(model, fields, overflow).system()


class _Lowering:
    def __init__(self, model: Model, fields: Fields, overflow: Overflow) -> None:
        self.model = model
        self.fields = fields
        self.expressions = ExpressionLowering(fields)
        self.transitions = TransitionLowering(fields, self.expressions, overflow)
        self.actions: list[Action] = []
        self.behaviour = {
            process: [self.transitions.lower(process, transition) for transition in process.transitions]
            for process in model.processes.values()
        }
        self.receivers: dict[Channel, list[LoweredTransition]] = defaultdict(list)
        for transitions in self.behaviour.values():
            for transition in transitions:
                channel = transition.handshake(Receive)
                if channel:
                    self.receivers[channel].append(transition)

    def system(self) -> System:
        layout = Layout(tuple(self.fields.all))
        choices = self.synchronous_choices() if self.model.synchronous else self.choices()
        assertions, automata = tuple(self.assertions()), tuple(self.automata())
        return System(
            name=self.model.source.name,
            language="dve",
            source=self.model.source,
            layout=layout,
            initial=(layout.initial(),),
            actions=tuple(self.actions),
            choices=choices,
            failures=tuple(self.expressions.failures),
            assertions=assertions,
            automata=automata,
            processes=tuple(self.model.processes),
            locals=self.transitions.locals,
            warnings=tuple(self.model.warnings.values()),
            # In DiVinE the property process moves on alone where the system has ended.
            extends_finite_runs=True,
        )

    def synchronous_choices(self) -> Choice:
        lowering = SynchronousLowering(self.model, self.fields, self.expressions, self.transitions.locals, self.actions)
        choices = lowering.choices(self.behaviour)
        self.transitions.locals = lowering.locals
        return choices

    def choices(self) -> Choice:
        urgent = [
            equal(self.fields.locations[process], state)
            for process in self.model.processes.values()
            for state in sorted(process.committed)
            if self.can_ever_leave(process, state)
        ]
        free = self.moves(committed=False)
        if not urgent:
            return free
        someone_is_urgent = _any_of(urgent)
        return All(
            (
                When(someone_is_urgent, self.moves(committed=True)),
                When(Unary("not", someone_is_urgent), free),
            )
        )

    def can_ever_leave(self, process: Process, state: int) -> bool:
        """Whether a process has a transition from a state, be it ever enabled or not."""
        for transition in self.behaviour[process]:
            if transition.origin == state:
                channel = transition.handshake(Send)
                if channel is None or any(partner.process is not process for partner in self.receivers[channel]):
                    return True
        return False

    def moves(self, committed: bool) -> Choice:
        """What the processes can do that are in committed states, or not, each by itself or with another of them."""
        return All(tuple(self.moves_of(process, committed) for process in self.model.processes.values()))

    def moves_of(self, process: Process, committed: bool) -> Choice:
        by_origin: dict[int, list[LoweredTransition]] = defaultdict(list)
        for transition in self.behaviour[process]:
            if (transition.origin in process.committed) == committed:
                by_origin[transition.origin].append(transition)
        cases = [(origin, self.moves_from(transitions, committed)) for origin, transitions in sorted(by_origin.items())]
        return Switch(self.fields.locations[process], tuple(cases))

    def moves_from(self, transitions: list[LoweredTransition], committed: bool) -> Choice:
        """The moves of a process in one state. Handshakes belong to the sender."""
        moves: list[Choice] = []
        handshakes: dict[Process, dict[int, list[Choice]]] = defaultdict(lambda: defaultdict(list))
        for transition in transitions:
            channel = transition.handshake(Send)
            if channel:
                for partner in self.receivers[channel]:
                    as_committed = (partner.origin in partner.process.committed) == committed
                    if as_committed and partner.process is not transition.process:
                        action = self.transitions.together(transition, partner)
                        handshakes[partner.process][partner.origin].append(self.do(action))
            elif not transition.handshake(Receive):
                moves.append(self.do(self.transitions.alone(transition)))
        for partner_process, by_origin in handshakes.items():
            cases = tuple((origin, All(tuple(choices))) for origin, choices in sorted(by_origin.items()))
            moves.append(Switch(self.fields.locations[partner_process], cases))
        return All(tuple(moves))

    def do(self, action: Action) -> Do:
        self.actions.append(action)
        return Do(len(self.actions) - 1)

    def assertions(self) -> Iterator[Proposition]:
        for process in self.model.processes.values():
            states = list(process.states)
            for state, condition in process.assertions:
                elsewhere = Unary("not", equal(self.fields.locations[process], state))
                name = f"assert {states[state]}: {' '.join(condition.span.text.split())}"
                yield Proposition(
                    f"{process.name}: {name}",
                    Binary("or", elsewhere, self.expressions.lower(condition)),
                    condition.span,
                )

    def automata(self) -> Iterator[PropertyAutomaton]:
        automaton = self.model.property
        if automaton:
            steps = [
                AutomatonStep(
                    transition.origin,
                    transition.target,
                    TRUE if transition.guard is None else self.expressions.lower(transition.guard),
                    statement_text(automaton, transition),
                    transition.span,
                )
                for transition in automaton.transitions
            ]
            yield PropertyAutomaton(
                automaton.name, tuple(automaton.states), automaton.initial, automaton.accepting, tuple(steps)
            )


def _any_of(parts: list[Expression]) -> Expression:
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return Binary("or", _any_of(parts[:middle]), _any_of(parts[middle:]))
