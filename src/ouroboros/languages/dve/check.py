"""From the syntax tree to a checked model: declarations first, then what the processes do."""

from __future__ import annotations

from collections.abc import Iterable

from ouroboros.errors import InputError
from ouroboros.languages.dve import ast
from ouroboros.languages.dve.collector import collector_paused
from ouroboros.languages.dve.expressions import Resolver
from ouroboros.languages.dve.model import (
    Assertion,
    Assignment,
    Channel,
    Expression,
    Model,
    Process,
    Receive,
    Send,
    Transition,
    Variable,
)
from ouroboros.languages.dve.parse import parse_expression, parse_model
from ouroboros.languages.dve.scope import Scope, declare, unknown
from ouroboros.source import Source, Span

# Far beyond what any state can afford, and small enough to be written out in full.
LARGEST_ARRAY = 2**16
LARGEST_CAPACITY = 2**8


def check_model(source: Source) -> Model:
    """Parse and check a model; raises InputError."""
    with collector_paused():
        return _check(source, parse_model(source))


def _check(source: Source, tree: ast.Model) -> Model:
    model = Model(source, {}, {}, synchronous=tree.synchronous)
    _declare_variables(model.variables, tree.variables, Scope(model))
    _declare_channels(model.channels, tree.channels, Scope(model))
    processes: dict[str, Process] = {}
    for process_tree in tree.processes:
        process = _declare_process(model, process_tree)
        first = processes.get(process.name)
        declare(processes, "process", process_tree.identifier, process, first.span if first else None)
    if tree.property:
        model.property = processes.pop(tree.property.text, None)
        if model.property is None:
            raise unknown("process", tree.property.text, tree.property.span, processes)
    model.processes = processes
    if not processes:
        raise InputError("the model has no process", tree.system, "a system needs at least one")
    behaviour = _Behaviour(model)
    for process_tree in tree.processes:
        if model.property and process_tree.identifier.text == model.property.name:
            _require_observer(process_tree)
            behaviour.fill(model.property, process_tree)
        else:
            behaviour.fill(processes[process_tree.identifier.text], process_tree)
    return model


def check_expression(source: Source, model: Model) -> Expression:
    """Parse and check an expression over all names of a model; raises InputError.

    `P.x` is true where process P is in state x, and the value of P's variable x where P has no such state.
    """
    return Resolver(Scope(model), dots_to_variables=True).expression(parse_expression(source))


def _declare_variables(table: dict[str, Variable], trees: Iterable[ast.VariableDeclaration], scope: Scope) -> None:
    resolver = Resolver(scope)
    for tree in trees:
        identifier, kind, constant, size_tree, initial_tree = tree
        name = identifier.text
        size = None
        if size_tree is not None:
            size = resolver.constant(size_tree, "the size of an array")
            if not 1 <= size <= LARGEST_ARRAY:
                raise InputError(
                    f"an array cannot have {size} elements", size_tree.span, f"from 1 to {LARGEST_ARRAY} are possible"
                )
        if constant and initial_tree is None:
            raise InputError(f"constant `{name}` has no value", identifier.span)
        if isinstance(initial_tree, ast.Values):
            if size is None:
                raise InputError(f"`{name}` is no array and takes a single value", identifier.span)
            # DiVinE ignores the values that an array has no room for, and models in use rely on that.
            initial = [resolver.constant(item, "an initial value") for item in initial_tree.items][:size]
        elif initial_tree is not None:
            if size is not None:
                raise InputError(f"array `{name}` needs a list of initial values", initial_tree.span, "write `{…}`")
            initial = [resolver.constant(initial_tree, "an initial value")]
        else:
            initial = []
        initial += [0] * ((size or 1) - len(initial))
        variable = Variable(name, kind, constant, size, tuple(initial), identifier.span)
        first = table.get(name)
        declare(table, "variable", identifier, variable, first.span if first else None)


def _declare_channels(table: dict[str, Channel], trees: Iterable[ast.ChannelDeclaration], scope: Scope) -> None:
    resolver = Resolver(scope)
    for identifier, message, capacity_tree in trees:
        capacity = 0
        if capacity_tree is not None:
            capacity = resolver.constant(capacity_tree, "the capacity of a channel")
            if not 0 <= capacity <= LARGEST_CAPACITY:
                raise InputError(
                    f"a channel cannot hold {capacity} messages",
                    capacity_tree.span,
                    f"at most {LARGEST_CAPACITY} are possible",
                )
        channel = Channel(identifier.text, message, capacity, identifier.span)
        first = table.get(identifier.text)
        declare(table, "channel", identifier, channel, first.span if first else None)


def _declare_process(model: Model, tree: ast.Process) -> Process:
    name, span = tree.identifier.text, tree.identifier.span
    states: dict[str, int] = {}
    for state in tree.states:
        first = tree.states[states[state.text]].span if state.text in states else None
        declare(states, "state", state, len(states), first)
    if not states:
        raise InputError(f"process `{name}` has no states", span, "declare them: `state a, b;`")
    if not tree.initial:
        raise InputError(f"process `{name}` has no initial state", span, "declare it: `init a;`")
    if len(tree.initial) > 1:
        raise InputError(f"process `{name}` has a second initial state", tree.initial[1].span)
    process = Process(
        name=name,
        span=span,
        variables={},
        channels={},
        states=states,
        initial=_state(states, tree.initial[0]),
        accepting=frozenset(_state(states, state) for state in tree.accepting),
        committed=frozenset(_state(states, state) for state in tree.committed),
    )
    _declare_variables(process.variables, tree.variables, Scope(model, process))
    _declare_channels(process.channels, tree.channels, Scope(model, process))
    return process


def _state(states: dict[str, int], identifier: ast.Identifier) -> int:
    state = states.get(identifier.text)
    if state is None:
        raise unknown("state", identifier.text, identifier.span, states)
    return state


def _require_observer(tree: ast.Process) -> None:
    """A property process runs beside the system and only watches it."""
    name = tree.identifier.text
    for variable in tree.variables:
        if not variable.constant:
            raise InputError(
                f"the property process `{name}` cannot have variables", variable.identifier.span, "it only observes"
            )
    for transition in tree.transitions:
        if transition.synchronisation:
            raise InputError(
                f"the property process `{name}` cannot synchronise",
                transition.synchronisation.span,
                "it takes a step with every step of the system: use guards only",
            )
        if transition.effects:
            raise InputError(
                f"the property process `{name}` cannot have effects",
                transition.effects[0].place.span,
                "it only observes: use guards only",
            )


class _Behaviour:
    """Fills in assertions and transitions, and sees that all messages of a channel have the same size."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.sizes: dict[Channel, tuple[int, Span]] = {}

    def fill(self, process: Process, tree: ast.Process) -> None:
        resolver = Resolver(Scope(self.model, process))
        process.assertions = tuple(
            Assertion(_state(process.states, state), resolver.expression(condition))
            for state, condition in tree.assertions
        )
        transitions = []
        origin = None
        for span, origin_tree, target, guard, synchronisation, effects in tree.transitions:
            if origin_tree is not None:
                origin = _state(process.states, origin_tree)
            elif origin is None:
                raise InputError(
                    "the first transition of a process must name the state it starts from", span, "write `a -> b {…}`"
                )
            if synchronisation and self.model.synchronous:
                raise InputError(
                    "channels have no meaning where all processes move at once",
                    synchronisation.span,
                    "let processes talk by variables, or write `system async;`",
                )
            transitions.append(
                Transition(
                    span,
                    origin,
                    _state(process.states, target),
                    None if guard is None else resolver.expression(guard),
                    self.synchronisation(resolver, synchronisation) if synchronisation else None,
                    tuple([Assignment(resolver.place(place), resolver.expression(value)) for place, value in effects]),
                )
            )
        process.transitions = tuple(transitions)

    def synchronisation(self, resolver: Resolver, tree: ast.Send | ast.Receive) -> Send | Receive:
        channel = resolver.scope.channel(tree.channel)
        if isinstance(tree, ast.Send):
            self._require_size(channel, len(tree.values), tree.span)
            return Send(channel, tuple(resolver.expression(value) for value in tree.values))
        self._require_size(channel, len(tree.places), tree.span)
        return Receive(channel, tuple(resolver.place(place) for place in tree.places))

    def _require_size(self, channel: Channel, size: int, span: Span) -> None:
        if channel.message is not None or channel.capacity:
            expected, hint = len(channel.message or ()), f"it is declared in line {channel.span.line}"
        else:
            expected, first = self.sizes.setdefault(channel, (size, span))
            hint = f"its first use is in line {first.line}"
        if size != expected:
            values = "1 value" if expected == 1 else f"{expected} values"
            raise InputError(f"a message of channel `{channel.name}` has {values}, not {size}", span, hint)
