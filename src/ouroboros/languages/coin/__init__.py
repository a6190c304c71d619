"""CoIn, the language of component-interaction automata that DiVinE reads."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ouroboros.conditions import Names, condition
from ouroboros.errors import InputError, UsageError
from ouroboros.languages import Abilities
from ouroboros.languages.coin.lower import Lowering, told
from ouroboros.languages.coin.moves import composition
from ouroboros.languages.coin.read import read, read_label
from ouroboros.source import Source, Span
from ouroboros.system.expressions import Expression, equal
from ouroboros.system.model import Overflow, Proposition

_ABOUT_LABEL = re.compile(r"\s*(done|enabled)\s*(?=\()")


class CoinModel:
    abilities = Abilities()

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = read(source)
        self._composed = composition(self._text)
        self._make(watches=False)

    def _make(self, watches: bool) -> None:
        self._lowering = Lowering(self._source, self._composed, watches)
        self.system = self._lowering.system(self._text.property)

    def proposition(self, source: Source) -> Proposition:
        """Whether an action is enabled, or has just been done, by its label; or a condition over states of automata.

        Where actions are asked for that were done, states tell the last one from then on.
        """
        match = _ABOUT_LABEL.match(source.text)
        if match is None:
            return Proposition(
                " ".join(source.text.split()), self._condition(source), Span(source, 0, len(source.text))
            )
        label = read_label(source, match.end())
        if label.key not in self._lowering.numbers:
            known = ", ".join(map(told, list(self._lowering.numbers)[:8]))
            raise InputError(f"the system never does {told(label.key)}", label.span, f"it does {known}, …")
        if match[1] == "done" and self._lowering.done is None:
            self._make(watches=True)
        lowering = self._lowering
        expression = lowering.enabled(label.key)
        if match[1] == "done":
            assert lowering.done
            expression = equal(lowering.done, lowering.numbers[label.key])
        return Proposition(f"{match[1]}{told(label.key)}", expression, Span(source, 0, len(source.text)))

    def _condition(self, source: Source) -> Expression:
        places = {
            f"{name}.{state}": equal(field, number)
            for name, field in self._lowering.fields.items()
            for number, state in enumerate(field.value_names)
        }
        hint = "write Automaton.state, enabled(sender, action, receiver) or done(sender, action, receiver)"
        return condition(source, Names(places.get, tuple(places), hint), -1)


def load(source: Source, overflow: Overflow = "error", definitions: Mapping[str, str] | None = None) -> CoinModel:
    """Read a model; raises InputError with the place in `source`."""
    if definitions:
        raise UsageError(f"-D {next(iter(definitions))}: a CoIn model has no constants")
    return CoinModel(source)
