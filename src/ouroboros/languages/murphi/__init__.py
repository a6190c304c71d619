"""Murphi, the language of CMurphi and rumur."""

from __future__ import annotations

from collections.abc import Mapping

from ouroboros.errors import InputError, UsageError
from ouroboros.languages import Abilities
from ouroboros.languages.murphi.lower import lower
from ouroboros.languages.murphi.parse import parse_expression, parse_model
from ouroboros.languages.murphi.propositions import read_proposition
from ouroboros.source import Source, Span
from ouroboros.system.model import Overflow, Proposition, System


class MurphiModel:
    """A model that was read from Murphi text."""

    abilities = Abilities(alike=True)

    def __init__(self, source: Source, definitions: Mapping[str, str]) -> None:
        tree = parse_model(source)
        try:
            self._lowered = lower(tree, source, definitions)
        except RecursionError:
            raise InputError("this is nested too deeply", Span(source, 0, 0)) from None

    @property
    def system(self) -> System:
        return self._lowered.system

    def proposition(self, source: Source) -> Proposition:
        """Read an expression over the model's names; raises InputError with the place in `source`."""
        expression = parse_expression(source)
        name = " ".join(source.text.split())
        span = Span(source, 0, len(source.text))
        proposition, self._lowered.system = read_proposition(self._lowered, expression, name, span)
        return proposition


def load(source: Source, overflow: Overflow = "error", definitions: Mapping[str, str] | None = None) -> MurphiModel:
    """Read a model; raises InputError with the place in `source`."""
    if overflow == "wrap":
        raise UsageError("--overflow wrap: in Murphi a value that is out of the range of its variable is an error")
    return MurphiModel(source, definitions or {})
