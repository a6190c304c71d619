"""A Promela model: read, and lowered for the processes that it was seen to have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from ouroboros.languages.promela import ast
from ouroboros.languages.promela.fields import Fields
from ouroboros.languages.promela.flow import Flow
from ouroboros.languages.promela.lower import Lowering
from ouroboros.languages.promela.lower_expressions import Meaning
from ouroboros.languages.promela.parse import parse_expression
from ouroboros.languages.promela.references import References
from ouroboros.source import Source, Span
from ouroboros.system.interpret import single_steps
from ouroboros.system.model import Proposition, System

_WALKS, _STEPS = 4, 200


class PromelaModel:
    """A model that was read from Promela text.

    Processes may be made while the model runs, so that nobody knows beforehand which there will be. The system has
    slots for those that were seen so far, and fails where another one is made; `grow` makes room for it.
    """

    def __init__(self, source: Source, model: ast.Model) -> None:
        self._source = source
        self._model = model
        self._references = References(model)
        self._flows = {process.name: Flow(process) for process in model.processes}
        active = [process.name for process in model.processes for _ in range(process.active)]
        self._slots: set[tuple[int, str]] = set(enumerate(active))
        self._lower()
        self._scout()

    def _lower(self) -> None:
        fields = Fields(self._model, self._references, self._flows, self._slots, frozenset())
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
        self._slots.update(self._lowering.creation.missing[site] for site in sites)
        self._lower()

    def proposition(self, source: Source) -> Proposition:
        """Read an expression over the model's names; raises InputError with the place in `source`."""
        expression = parse_expression(source, self._model)
        meaning = Meaning(self._lowering.fields, self._lowering.sites, None)
        proposition = Proposition(
            " ".join(source.text.split()), meaning.lower(expression), Span(source, 0, len(source.text))
        )
        self.system = replace(self.system, failures=self._lowering.sites.failures)
        return proposition
