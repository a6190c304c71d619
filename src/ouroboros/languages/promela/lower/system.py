"""A Promela model as a System, with what the model asks of its states and runs."""

from __future__ import annotations

from dataclasses import replace

from ouroboros.errors import InputError
from ouroboros.languages.promela.flow.code import code_lines
from ouroboros.languages.promela.flow.flow import Step
from ouroboros.languages.promela.flow.written import Texts
from ouroboros.languages.promela.lower.actions import Actions, Ground
from ouroboros.languages.promela.lower.choices import Choices, held_places
from ouroboros.languages.promela.lower.claims import automata
from ouroboros.languages.promela.lower.events import Events
from ouroboros.languages.promela.lower.expressions import Meaning
from ouroboros.languages.promela.lower.fields import GLOBALS, Fields, Instance
from ouroboros.languages.promela.lower.processes import Creation
from ouroboros.languages.promela.lower.rights import Rights
from ouroboros.languages.promela.lower.sites import Sites
from ouroboros.languages.promela.lower.statements import StatementLowering
from ouroboros.languages.promela.read import ast
from ouroboros.source import Source
from ouroboros.system.choices import Action, All
from ouroboros.system.expressions import (
    FALSE,
    TRUE,
    Binary,
    Constant,
    Expression,
    Read,
    Unary,
    conjunction,
    disjunction,
    equal,
)
from ouroboros.system.interpret import execute
from ouroboros.system.layout import Field, Layout, bits_for
from ouroboros.system.model import Exclusive, NamedFormula, Proposition, System


class Lowering:
    """Lowers a model for the slots that its fields have."""

    def __init__(self, source: Source, model: ast.Model, fields: Fields) -> None:
        self.source = source
        self.model = model
        self.fields = fields
        self.sites = Sites()
        self.creation = Creation(model, fields, self.sites)
        self.events = Events(model.events, fields, self.sites) if model.events else None
        control: Field | None = None
        if any(held_places(instance) for instance in fields.instances.values()):
            pids = max(pid for pid, _ in fields.instances)
            control = fields.add(Field("atomic", GLOBALS, bits_for(pids + 2)))
        rights = Rights(model, fields, self.sites)
        statements = {
            (instance, timeout): StatementLowering(
                Meaning(fields, self.sites, instance, timeout), self.creation, rights, self.events
            )
            for instance in fields.instances.values()
            for timeout in (False, True)
        }
        texts = {process.name: Texts(process) for process in model.processes}
        self._ground = Ground(fields, statements, texts, control)
        self._actions = Actions(self._ground)
        self._choices = Choices(model, self._actions)

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple(self._actions.all)

    def system(self) -> System:
        choices = self._choices.all()
        layout = Layout(tuple(self.fields.all))
        endless = self.sites.site("loop", "an atomic sequence that does not end", None)
        control = self._ground.control
        system = System(
            name=self.source.name,
            language="promela",
            source=self.source,
            included=self.model.included,
            layout=layout,
            initial=(layout.initial(),),
            actions=self.actions,
            choices=choices,
            automata=tuple(automata(self.model, self.outside())),
            formulas=tuple(NamedFormula(formula.name, formula.formula) for formula in self.model.formulas),
            processes=tuple(instance.name for instance in self.fields.instances.values()),
            code=tuple(code_lines(self.model.processes, self.fields.flows, self._ground.texts)),
            exclusive=Exclusive(control, endless) if control else None,
            valid_end=self.valid_end(),
            extends_finite_runs=True,
            locals=self._actions.locals,
        )
        initial = (*self.creation.initial(), *(self.events.initial if self.events else ()))
        return replace(
            system,
            initial=(execute(system, layout.initial(), initial),),
            failures=self.sites.failures,
            warnings=self.warnings,
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self.model.warnings, *self.sites.warnings)

    def outside(self) -> Meaning:
        """What names mean in claims, formulas and other questions about states."""
        meaning = Meaning(self.fields, self.sites, None)
        meaning.enabled = self._can_move
        return meaning

    def fairness(self) -> tuple[Proposition, ...]:
        """For each slot: nobody there can move, or somebody just has."""
        assert self.fields.moved
        assert self.fields.met
        if self.fields.prioritised:
            raise InputError("weak fairness and priorities contradict each other", self.model.processes[0].span)
        conditions = []
        moves = All(tuple(self._choices.moves(each, each.flow.at, False) for each in self._choices.instances()))
        for pid, instances in self.fields.by_pid().items():
            ready = self._choices.enabled(moves, {instance.name for instance in instances})
            moved = disjunction(equal(self.fields.moved, pid), equal(self.fields.met, pid + 1))
            fair = disjunction(moved, Unary("not", ready))
            conditions.append(Proposition(f"process {pid} moves or cannot", fair))
        return tuple(conditions)

    def _can_move(self, instance: Instance) -> Expression:
        """Whether a process can make a step by itself, or offer a rendezvous."""
        ready: Expression = FALSE
        for place, groups in instance.flow.at.items():
            guards = [self._guard(instance, step) for group in groups for step in group.steps]
            if any(group.otherwise for group in groups):
                guards = [TRUE]
            at_place = equal(instance.location, instance.numbers[place])
            ready = disjunction(ready, conjunction(at_place, disjunction(*guards)))
        return conjunction(self._choices.provided(instance), ready)

    def _guard(self, instance: Instance, step: Step) -> Expression:
        if not self._ground.can_be_alone(instance, step):
            return TRUE if isinstance(step.statement, ast.Send) else FALSE
        return self._actions.all[self._actions.alone(instance, step, False)].guard

    def valid_end(self) -> Expression:
        return conjunction(
            *(
                Binary("<=", Read(instance.location), Constant(instance.ends))
                for instance in self.fields.instances.values()
            ),
            *([self.events.may_end()] if self.events else []),
        )
