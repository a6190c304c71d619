"""From the tree of a model to a System."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NoReturn

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.actions import Actions
from ouroboros.languages.uppaal.lower.bounds import Bounds, BoundsAnalysis, tables
from ouroboros.languages.uppaal.lower.conditions import Timed
from ouroboros.languages.uppaal.lower.context import Context, constant, negated
from ouroboros.languages.uppaal.lower.declarations import Declarations
from ouroboros.languages.uppaal.lower.differences import Bound, Differences
from ouroboros.languages.uppaal.lower.instances import Instances
from ouroboros.languages.uppaal.lower.priorities import Priorities, read_priorities
from ouroboros.languages.uppaal.lower.processes import JoinedChannel, Process, ProcessLowering
from ouroboros.languages.uppaal.lower.scope import ProcessName, Scope
from ouroboros.languages.uppaal.lower.statements import Lowering
from ouroboros.languages.uppaal.lower.types import ChannelType, described
from ouroboros.languages.uppaal.lower.watches import Bits, bounds_of, escapes, passing, tick_after, ticking
from ouroboros.languages.uppaal.lower.watches import limits as limits_of
from ouroboros.languages.uppaal.read import ast
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.blocks import Block, Limit, Require, Settle
from ouroboros.system.choices import Action, All, Choice, Do, Part
from ouroboros.system.expressions import (
    Constant,
    Difference,
    Expression,
    Stuck,
    Unlimited,
    conjunction,
    disjunction,
    equal,
)
from ouroboros.system.interpret import execute
from ouroboros.system.layout import Field, Layout
from ouroboros.system.model import System

_WIDTHS = (8, 16, 32)


@dataclass(eq=False)
class Network:
    """The processes of a model, and all that was declared."""

    source: ast.Model
    context: Context
    scope: Scope
    processes: list[Process]
    priorities: Priorities
    differences: Differences
    """All that are asked for, also by queries."""
    always: tuple[Bound, ...]
    """Those that the model itself asks for."""


def network(model: ast.Model) -> Network:
    context = Context()
    scope = Scope()
    Declarations(context, scope, "globals").declare(model.declarations)
    if not model.system:
        raise InputError(f"{model.source.name}: there is no `system` line")
    instances = Instances(context, scope)
    processes: list[Process] = []
    named: dict[str, ProcessName] = {}
    for level, group in enumerate(model.system):
        for name in group:
            if name.name in named:
                raise InputError(f"{name.name} is listed twice", name.span)
            found = instances.of(name)
            named[name.name] = ProcessName(found)
            processes += found.values()
            for process in found.values():
                process.priority = level
    priorities = read_priorities(context.priorities[0], context, scope) if context.priorities else Priorities()
    bits = Differences()
    for name, channels in model.joined:
        if name.name not in named:
            raise InputError(f"{name.name} is not on the system line", name.span)
        joined = frozenset(_joined(context, scope, channels))
        for process in named[name.name].processes.values():
            process.joined = joined
    for process in processes:
        ProcessLowering(context, process, bits).lower()
    # Queries see processes where the model has templates of the same names.
    return Network(model, context, Scope(scope, dict(named)), processes, priorities, bits, tuple(bits.bits))


def _joined(context: Context, scope: Scope, channels: Sequence[ast.Expression]) -> Iterator[JoinedChannel]:
    lowering = Lowering(context, scope, "a channel")
    for channel in channels:
        for place in lowering.elements(lowering.place(channel)):
            if not isinstance(place.type, ChannelType):
                raise InputError(f"a channel is expected here, and not {described(place.type)}", channel.span)
            yield (
                place.variable,
                tuple(constant(index, channel.span, "the number of a channel") for index in place.indices),
            )


@dataclass(frozen=True, eq=False)
class Timing:
    """How zones are made: what questions compare clocks with, and whether lower and upper bounds are told apart."""

    asked: tuple[Timed, ...] = ()
    differences: tuple[Bound, ...] = ()
    """How the clocks differ that questions ask for."""
    watches: Bits = field(default_factory=dict)
    """What questions about runs compare clocks with."""
    alike: bool = False
    rests: bool = False
    """Whether a run may stay in a state for ever: by waiting, or because nothing is possible any more."""
    goes_on: bool = False
    """Whether only runs count on which some step is always possible, now or later."""
    tick: Field | None = None
    """If only runs count on which time goes on without end: what is true again and again on these."""


@dataclass(frozen=True, eq=False)
class Lowered:
    system: System
    zone: Field | None
    settle: Settle | None
    stuck: Stuck | None
    """Whether some valuation of a state has no step, however long one waits; None where that is not supported."""


def lower(net: Network, timing: Timing = Timing()) -> Lowered:
    context = net.context
    failures = len(context.failures)
    if timing.tick:
        context = replace(context, clocks=[*context.clocks, "time since the last tick"])
    clocks = len(context.clocks)
    bits = {bound: net.differences.bits[bound] for bound in (*net.always, *timing.differences)}
    analysis = BoundsAnalysis(clocks, {}, tuple(bits))
    for difference in (*(timed.difference for timed in timing.asked), *bounds_of(timing.watches)):
        analysis.note(analysis.everywhere, difference)
    if timing.tick:
        analysis.note(analysis.everywhere, tick_after(clocks - 1))
    if timing.alike:
        everywhere = analysis.everywhere
        both = [max(pair) for pair in zip(everywhere.lower, everywhere.upper, strict=True)]
        analysis.everywhere = Bounds(both, list(both))
    lower_bounds, upper_bounds = tables(analysis, net.processes, timing.alike)
    disabled = context.site("disabled", "the clocks do not allow it", None)
    invariants = _invariants(net.processes, disabled)
    zone = settle = waits = None
    if clocks > 1 or timing.alike:
        zone = _zone(clocks, analysis.largest)
        limits = _limits(net.processes)
        actions = Actions(context, net.processes, net.priorities, zone, (), None, {}, {}, disabled)
        waits = Settle(zone, limits, actions.delays(), lower_bounds, upper_bounds, disabled)
        settle = waits._replace(limits=(*limits, *limits_of(timing.watches)))
    actions = Actions(context, net.processes, net.priorities, zone, invariants, settle, bits, timing.watches, disabled)
    actions.tick = timing.tick
    choices: Choice = actions.tree()
    stuck: Stuck | None = None
    if zone and settle and waits and timing.alike and not any(process.compares for process in net.processes):
        ways = (*actions.escapes, *escapes(timing.watches, clocks))
        stuck = Stuck(zone, settle.delays, waits.limits, ways)
    if zone and settle and waits and timing.rests:
        if stuck is None:
            refuse_compared_limits(net.processes)
        passes = tuple(passing(timing.watches, waits, tuple(context.clocks)))
        steps = Stuck(zone, settle.delays, waits.limits, tuple(actions.escapes))
        late = analysis.largest + 1
        if timing.tick:
            passes = (*passes, ticking(timing.tick, clocks - 1, zone, disabled))
        rests = _waits_for_steps(actions, settle, steps, late) if timing.goes_on else _rests(actions, settle, stuck)
        choices = All((choices, *actions.passing(passes), *(islice(rests, 1) if timing.tick else rests)))
    fields = (*context.fields, *bits.values(), *timing.watches.values(), *([timing.tick] if timing.tick else []))
    # A zone has words of its own, for zones repeat.
    layout = Layout((*fields, zone), within=Layout(fields)) if zone else Layout(fields)
    system = System(
        name=net.source.source.name,
        language="UPPAAL",
        source=net.source.source,
        layout=layout,
        initial=(layout.initial(),),
        actions=tuple(actions.actions),
        choices=choices if actions.actions else All(()),
        failures=tuple(context.failures),
        processes=tuple(process.name for process in net.processes),
        locals=max(context.most_slots, actions.most_slots, 1),
        zone=zone,
        clocks=tuple(context.clocks),
        extends_finite_runs=not (timing.goes_on or timing.tick),
    )
    del context.failures[failures:]
    return Lowered(_started(system, (*invariants, *((settle,) if settle else ()))), zone, settle, stuck)


def refuse_compared_limits(processes: Sequence[Process]) -> NoReturn:
    for process in processes:
        if process.compares:
            message = "differences of clocks in invariants are not supported for A<>, E[], --> and `deadlock`"
            raise InputError(message, process.template.span)
    raise AssertionError("whether a state is stuck is known but where invariants compare differences")


def _rests(actions: Actions, settle: Settle, stuck: Expression) -> Iterator[Choice]:
    """Steps that lead nowhere else: a run that takes one of them for ever takes no other."""
    waits = conjunction(settle.delays, Unlimited(settle.zone))
    for text, guard in (("time passes for ever", waits), ("nothing is possible any more", stuck)):
        actions.actions.append(Action((Part("", text, None),), (), guard))
        yield Do(len(actions.actions) - 1)


def _waits_for_steps(actions: Actions, settle: Settle, steps: Stuck, late: int) -> Iterator[Choice]:
    """Waiting for ever where, when no clock has anything left to come to, some step is still possible."""
    clocks = range(1, len(actions.context.clocks))
    above = tuple(Difference(Constant(0), Constant(clock), Constant(-late), False) for clock in clocks)
    guard = conjunction(settle.delays, Unlimited(settle.zone), steps._replace(constraints=above, escaping=True))
    actions.actions.append(Action((Part("", "time passes for ever", None),), (), guard))
    yield Do(len(actions.actions) - 1)


def _started(system: System, start: Block) -> System:
    """With time passed in the initial state, for as long as it may."""
    try:
        return replace(system, initial=(execute(system, system.initial[0], start),), start=start)
    except ExecutionError:
        raise InputError(f"{system.name}: the initial state violates an invariant: there is no run") from None


def _zone(clocks: int, largest: int) -> Field:
    """Bounds are twice as large as numbers; in the middle of a step, sums of three of them occur."""
    bits = next((width for width in _WIDTHS if 2 * largest + 4 < 1 << (width - 1)), None)
    if bits is None or 12 * largest > 1 << 30:
        raise InputError(f"clocks are compared with {largest}, which is too large a number")
    cells = clocks * clocks
    return Field("clocks", "clocks", bits, True, cells, (1,) * cells, told="never", repeats=True)


def _invariants(processes: Sequence[Process], site: int) -> Block:
    return tuple(
        Require(disjunction(negated(equal(process.location, invariant.location)), condition), site)
        for process in processes
        for invariant in process.invariants
        for condition in invariant.discrete
    )


def _limits(processes: Sequence[Process]) -> tuple[Limit, ...]:
    return tuple(
        Limit(
            equal(process.location, invariant.location),
            timed.difference.row,
            timed.difference.bound,
            timed.difference.strict,
        )
        for process in processes
        for invariant in process.invariants
        for timed in invariant.clocks
    )
