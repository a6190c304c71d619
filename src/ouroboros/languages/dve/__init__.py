"""DVE, the language of DiVinE and of the BEEM models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ouroboros.errors import UsageError
from ouroboros.languages import Abilities
from ouroboros.languages.dve.check import check_expression, check_model
from ouroboros.languages.dve.collector import collector_paused
from ouroboros.languages.dve.fields import Fields
from ouroboros.languages.dve.lower import lower
from ouroboros.languages.dve.lower_expressions import ExpressionLowering
from ouroboros.languages.dve.model import Model
from ouroboros.source import Source, Span
from ouroboros.system.model import Overflow, Proposition, System


class DveModel:
    """A model that was read from DVE text."""

    abilities = Abilities()

    def __init__(self, checked: Model, overflow: Overflow) -> None:
        self._checked = checked
        self._fields = Fields(checked)
        self.system: System = lower(checked, self._fields, overflow)

    def proposition(self, source: Source) -> Proposition:
        """Read an expression over the model's names; raises InputError with the place in `source`."""
        expression = check_expression(source, self._checked)
        lowering = ExpressionLowering(self._fields, self.system.failures)
        proposition = Proposition(
            " ".join(source.text.split()), lowering.lower(expression), Span(source, 0, len(source.text))
        )
        # The expression may bring new places to fail at.
        warnings = tuple(self._checked.warnings.values())
        self.system = replace(self.system, failures=tuple(lowering.failures), warnings=warnings)
        return proposition


def load(source: Source, overflow: Overflow = "error", definitions: Mapping[str, str] | None = None) -> DveModel:
    """Read a model; raises InputError with the place in `source`."""
    if definitions:
        raise UsageError(f"-D {next(iter(definitions))}: no constant of a DVE model can be set from outside")
    with collector_paused():
        return DveModel(check_model(source), overflow)
