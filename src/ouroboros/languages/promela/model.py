"""A Promela model: read, and lowered for the processes that it was seen to have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from ouroboros.languages import Abilities
from ouroboros.languages.promela.flow.flow import Flow, number_statements
from ouroboros.languages.promela.flow.references import References
from ouroboros.languages.promela.flow.structure import counter_of
from ouroboros.languages.promela.flow.unread import only_written
from ouroboros.languages.promela.lower.fields import MOST_PROCESSES, Fields
from ouroboros.languages.promela.lower.system import Lowering
from ouroboros.languages.promela.read import ast, terms
from ouroboros.languages.promela.read.parse import parse_expression
from ouroboros.languages.promela.read.trees import nodes
from ouroboros.source import Source, Span
from ouroboros.system.interpret import single_steps
from ouroboros.system.model import Proposition, System

_WALKS, _STEPS = 4, 200


class PromelaModel:
    """A model that was read from Promela text.

    Processes may be made while the model runs, so that nobody knows beforehand which there will be. The system has
    slots for those that were seen so far, and fails where another one is made; `grow` makes room for it.
    """

    abilities = Abilities(trails=True, spin_formulas=True)

    def __init__(self, source: Source, model: ast.Model) -> None:
        model = replace(model, processes=tuple(map(_with_counters, model.processes)))
        self._source = source
        self._model = model
        self._references = References(model)
        self._flows = {process.name: Flow(process) for process in model.processes}
        number_statements(model, self._flows)
        self._unread = _left_out(model)
        active = [process.name for process in model.processes for _ in range(process.active)]
        self._slots: set[tuple[int, str]] = set(enumerate(active))
        self._fair = False
        self._last = False
        """Whether a question asks who has made the last step, though the model does not."""
        self._lower()
        self._scout()

    def _lower(self) -> None:
        fields = Fields(self._model, self._references, self._flows, self._slots, self._unread, self._fair, self._last)
        self._lowering = Lowering(self._source, self._model, fields)
        self.system: System = self._lowering.system()

    def _scout(self) -> None:
        """Walk at random through the first states, and make room for the processes that are met: most of them are made
        at once, and a search that has to start again costs more than a walk.
        """
        random = Random(0)
        walks, steps = 0, 0
        state = self.system.initial[0]
        while walks < _WALKS and self._lowering.creation.missing:
            following = single_steps(self.system, state)
            missing = {step.failure for step in following if step.failure in self._lowering.creation.missing}
            possible = [step.state for step in following if step.state is not None]
            steps += 1
            if missing:
                self.grow(site for site in missing if site is not None)
            elif possible and steps < _STEPS:
                state = random.choice(possible)
                continue
            else:
                walks += 1
            state, steps = self.system.initial[0], 0

    def grow(self, sites: Iterable[int]) -> None:
        """Make room for what was missing at these sites; `system` is another one afterwards."""
        for site in sites:
            pid, name = self._lowering.creation.missing[site]
            # A model that makes many processes makes more: a few steps must be enough.
            self._slots.update((each, name) for each in range(pid, min(pid + 1 + pid // 8, MOST_PROCESSES)))
        self._lower()

    def fair(self) -> tuple[Proposition, ...]:
        """What holds infinitely often on every run in which no process that could always move never does."""
        if not self._fair:
            self._fair = True
            self._lower()
        conditions = self._lowering.fairness()
        self.system = replace(
            self.system, actions=tuple(self._lowering.actions), failures=self._lowering.sites.failures
        )
        return conditions

    def proposition(self, source: Source) -> Proposition:
        """Read an expression over the model's names; raises InputError with the place in `source`."""
        expression = parse_expression(source, self._model)
        if self._lowering.fields.last is None and any(
            isinstance(node, terms.Predefined) and node.name == "_last" for node in nodes(expression)
        ):
            self._last = True
            self._lower()
        lowered = self._lowering.outside().lower(expression)
        proposition = Proposition(" ".join(source.text.split()), lowered, Span(source, 0, len(source.text)))
        self.system = replace(self.system, failures=self._lowering.sites.failures, warnings=self._lowering.warnings)
        return proposition


def _with_counters(process: ast.Process) -> ast.Process:
    """With the variables that loops over channels need."""
    counters = [counter_of(node) for node in nodes(process.body) if isinstance(node, ast.ForChannel)]
    return replace(process, variables=(*process.variables, *counters)) if counters else process


def _left_out(model: ast.Model) -> frozenset[terms.Variable]:
    """Hidden variables that are only written. Spin keeps no hidden variable in the state; but what is read must be
    there, or the result would depend on the order of the search.
    """
    if model.formulas or model.claims:
        return frozenset()
    return frozenset(variable for variable in only_written(model) if variable.visibility == "hidden")
