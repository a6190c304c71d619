"""The system of a model with fewer states: independent steps in one order only, local steps made one with the step
before them, and variables that nobody will read again, or ever reads, set to zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ouroboros.languages.promela.flow.elements import Death, Element
from ouroboros.languages.promela.flow.flow import Step, steps_at
from ouroboros.languages.promela.flow.liveness import Liveness
from ouroboros.languages.promela.flow.unread import forgetting, unread_globals
from ouroboros.languages.promela.lower.actions import Actions
from ouroboros.languages.promela.lower.choices import Choices
from ouroboros.languages.promela.lower.fields import Instance
from ouroboros.languages.promela.lower.procedures import Temporaries
from ouroboros.languages.promela.lower.reduction import Business, Claims, counting_places, is_channel
from ouroboros.languages.promela.lower.sites import Sites
from ouroboros.languages.promela.read import ast
from ouroboros.system.blocks import Assign, Block, Require, Statement, fields_written
from ouroboros.system.choices import Action, Choice, Switch, When
from ouroboros.system.expressions import (
    Binary,
    Constant,
    Expression,
    Read,
    Unary,
    conjunction,
    disjunction,
    equal,
    is_constant,
)
from ouroboros.system.layout import Field
from ouroboros.system.model import Reduced, ReductionKind, System


class Reducer:
    """Reduces the system that has the given actions."""

    def __init__(self, model: ast.Model, actions: Actions, sites: Sites) -> None:
        self.model = model
        self.whole = actions
        self.ground = actions.ground
        self.fields = actions.ground.fields
        self.sites = sites

    def reduced(self, system: System, observed: frozenset[Field], kinds: frozenset[ReductionKind]) -> Reduced | None:
        """As `Reduction` says."""
        # What others can see of a step is not known well enough: enabledness is seen by `else`, `unless` and more.
        kinds -= {"partial order"}
        if self.fields.prioritised or self.fields.last or self.fields.moved:
            # Which process moves is seen, or decides who moves next.
            kinds -= {"partial order", "merging"}
        business = Business(self.model, self.fields.references)
        own = {
            instance: business.places(instance, partial(self._is_seen, instance, observed))
            for instance in self.fields.instances.values()
            if kinds & {"partial order", "merging"}
        }
        actions = _ReducedActions(
            self.whole,
            self.sites,
            business.claims if "partial order" in kinds else None,
            {instance: self._merged(instance, places) for instance, places in own.items() if "merging" in kinds},
            self._dying(observed, business) if "dead variables" in kinds else {},
        )
        choices = Choices(self.model, actions)
        seen = {field for instance in self.fields.instances.values() for field in instance.fields()}
        blind = business.knows_no_pids and seen.isdisjoint(observed)
        first = [
            Switch(instance.location, tuple(sorted(cases, key=lambda case: case[0])))
            for instance in choices.instances()
            if "partial order" in kinds
            and (
                cases := [
                    (instance.numbers[place], self._own(instance, place, choices, blind)) for place in own[instance]
                ]
            )
        ]
        tree = choices.all(first)
        if first:
            actions.kinds.add("partial order")
        kept = tuple(actions.all)
        if "unread variables" in kinds:
            kept = self._forgetful(kept, observed)
            if any(kept[number] is not action for number, action in enumerate(actions.all)):
                actions.kinds.add("unread variables")
        if not actions.kinds:
            return None
        smaller = replace(
            system,
            actions=kept,
            choices=tree,
            failures=self.sites.failures,
            locals=max(system.locals, actions.locals),
            reduction=None,
        )
        return Reduced(smaller, frozenset(actions.kinds), tuple(actions.origins))

    def _forgetful(self, actions: tuple[Action, ...], observed: frozenset[Field]) -> tuple[Action, ...]:
        """Actions that leave nothing behind in variables that nobody reads."""
        unread = unread_globals(self.model)
        fields = {leaf.field for path, leaf in self.fields.variables.items() if path[0] in unread} - observed
        # Channels may be claimed by the variables that hold them.
        fields -= {leaf.field for path, leaf in self.fields.variables.items() if is_channel(path[-1])}
        return tuple(
            replace(action, effect=forgetting(action.effect, fields))
            if not fields.isdisjoint(fields_written(action.effect))
            else action
            for action in actions
        )

    def _is_seen(self, instance: Instance, observed: frozenset[Field], step: Step) -> bool:
        """Whether a step changes what is observed."""
        if not self.ground.can_be_alone(instance, step):
            return True
        action = self.whole.all[self.whole.alone(instance, step, False)]
        return not observed.isdisjoint(fields_written(action.effect))

    def _merged(self, instance: Instance, places: list[Element]) -> dict[Element, Step]:
        """The places, with their steps, at which a process has just one thing to do, and nothing to wait for."""
        found: dict[Element, Step] = {}
        for place in places:
            steps = list(steps_at(instance.flow, place))
            if len(steps) == 1 and isinstance(steps[0].statement, _MERGED):
                action = self.whole.all[self.whole.alone(instance, steps[0], False)]
                if is_constant(action.guard, 1) and not _offers(instance, steps[0].target):
                    found[place] = steps[0]
        return found

    def _dying(self, observed: frozenset[Field], business: Business) -> dict[tuple[Instance, Step], list[Field]]:
        """The variables to be reset after each step."""
        dying: dict[tuple[Instance, Step], list[Field]] = {}
        known = {name: Liveness(flow) for name, flow in self.fields.flows.items() if not business.is_watched(name)}
        for instance in self.fields.instances.values():
            name = instance.process.name
            if name not in known or instance.process.provided is not None:
                continue
            for place in instance.flow.at:
                for step in steps_at(instance.flow, place):
                    dead = known[name].dying(place, step)
                    leaves = [instance.variables.get((each,)) for each in dead if business.may_be_reset(each)]
                    reset = [leaf.field for leaf in leaves if leaf and leaf.field not in observed]
                    # A step may start from several places, and is made the same from all of them.
                    known_before = dying.setdefault((instance, step), [])
                    known_before += [field for field in reset if field not in known_before]
        return dying

    def _own(self, instance: Instance, place: Element, choices: Choices, blind: bool) -> Choice:
        """The steps at a place, while nobody else can have a say in them."""
        meaning = self.ground.statements[instance, False].meaning
        conditions: list[Expression] = []
        for step in steps_at(instance.flow, place):
            if isinstance(step.statement, ast.Send | ast.Receive):
                channel = meaning.channel(step.statement.channel)
                conditions.append(meaning.ask("nfull" if isinstance(step.statement, ast.Send) else "nempty", channel))
            elif isinstance(step.statement, Death) and not blind:
                conditions += self._nobody_counts(instance)
        choice = choices.at(instance, place, False)
        return When(conjunction(*conditions), choice) if conditions else choice

    def _nobody_counts(self, dying: Instance) -> Iterator[Expression]:
        """No other process will ever make one more, or ask how many there are."""
        for other in self.fields.instances.values():
            counting = counting_places(other.flow)
            if other.pid != dying.pid and counting:
                numbers = {other.numbers[place] for place in counting}
                others = set(range(len(other.numbers) + 1)) - numbers
                if len(others) < len(numbers):
                    yield disjunction(*(equal(other.location, number) for number in sorted(others)))
                else:
                    yield Unary("not", disjunction(*(equal(other.location, number) for number in sorted(numbers))))


def _offers(instance: Instance, place: Element | None) -> bool:
    """Whether others can see that a process has come to a place: it may receive there, also in a rendezvous."""
    if place is None:
        return True
    statements = [step.statement for step in steps_at(instance.flow, place)]
    return any(isinstance(each, ast.Receive | ast.DStep) for each in statements)


_MERGED = (ast.Assignment, ast.Printf, ast.Printm, ast.Assert, ast.Condition)


class _ReducedActions(Actions):
    """Actions that go on while nobody can see it, and leave no dead values behind."""

    def __init__(
        self,
        whole: Actions,
        sites: Sites,
        claims: Claims | None,
        merged: dict[Instance, dict[Element, Step]],
        dying: dict[tuple[Instance, Step], list[Field]],
    ) -> None:
        super().__init__(whole.ground)
        self.origins: list[tuple[int, ...]] = []
        self.kinds: set[ReductionKind] = set()
        self._whole = whole
        self._sites = sites
        self._claims = claims
        self._merged = merged
        self._dying = dying
        self._chained: list[int] = []

    def release(self, instance: Instance) -> int:
        number = super().release(instance)
        if number == len(self.origins):
            self.origins.append((self._whole.release(instance),))
        return number

    def make_alone(self, instance: Instance, step: Step, timeout: bool) -> int:
        self._chained = [self._whole.alone(instance, step, timeout)]
        number = super().make_alone(instance, step, timeout)
        self.origins.append(tuple(self._chained))
        return number

    def make_together(self, sender: Instance, step: Step, receiver: Instance, partner: Step, first: Step) -> int | None:
        original = self._whole.together(sender, step, receiver, partner, first)
        if original is None:
            return None
        self._chained = [original]
        number = super().make_together(sender, step, receiver, partner, first)
        self.origins.append(tuple(self._chained))
        return number

    def before(self, instance: Instance, step: Step) -> Block:
        """Fail where another process has claimed what this one does with a channel."""
        statement = step.statement
        if self._claims is None or not isinstance(statement, ast.Send | ast.Receive):
            return ()
        operation = "xs" if isinstance(statement, ast.Send) else "xr"
        channel = self.ground.channel(instance, statement)
        block: list[Statement] = []
        for other in self.ground.fields.instances.values():
            for claim in self._claims.claimed.get(other.process.name, ()):
                if claim.operation != operation or other.pid == instance.pid:
                    continue
                for access in claim.channels:
                    theirs = self.ground.statements[other, False].meaning.channel(access)
                    if not any(bank is each for bank, _ in channel.options for each, _ in theirs.options):
                        continue
                    same = conjunction(Read(other.location), Binary("==", channel.number, theirs.number))
                    site = self._sites.site(
                        "channel", f"{other.process.name} has claimed this channel with {operation}", statement.span
                    )
                    block.append(Require(Unary("not", same), site))
        return tuple(block)

    def arrive(self, instance: Instance, step: Step, temporaries: Temporaries) -> Block:
        block = [*super().arrive(instance, step, temporaries), *self._reset(instance, step)]
        merged = self._merged.get(instance, {})
        # Places are left out so that no cycle consists of such steps alone: this comes to an end.
        while not step.keeps and step.target in merged:
            step = merged[step.target]
            self.kinds.add("merging")
            self._chained.append(self._whole.alone(instance, step, False))
            assert not isinstance(step.statement, ast.DStep)
            block += self.ground.statements[instance, False].lower(step.statement, temporaries).effect
            block += (*super().arrive(instance, step, temporaries), *self._reset(instance, step))
        return tuple(block)

    def _reset(self, instance: Instance, step: Step) -> Block:
        dead = self._dying.get((instance, step), [])
        if dead:
            self.kinds.add("dead variables")
        return tuple(Assign(field, None, Constant(0)) for field in dead)
