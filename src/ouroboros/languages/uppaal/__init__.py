"""Timed automata in the language of UPPAAL: XML, and text."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from pathlib import Path

from ouroboros.errors import InputError, UsageError
from ouroboros.languages import Abilities
from ouroboros.languages.uppaal.lower.context import negated
from ouroboros.languages.uppaal.lower.queries import Asked, condition_of, possible, queries
from ouroboros.languages.uppaal.lower.system import Lowered, Network, Timing, lower, network
from ouroboros.languages.uppaal.read import ast
from ouroboros.languages.uppaal.read.expressions import ExpressionParser
from ouroboros.languages.uppaal.read.nta import read_xml
from ouroboros.languages.uppaal.read.places import placed
from ouroboros.languages.uppaal.read.queries import read_queries, read_query
from ouroboros.languages.uppaal.read.units import whole
from ouroboros.languages.uppaal.read.xta import read_text
from ouroboros.source import Source, Span
from ouroboros.system.model import Overflow, Proposition, System


class UppaalModel:
    """A model that was read from XML or text."""

    abilities = Abilities()

    def __init__(self, source: Source) -> None:
        self._tree = ast.Model(source)
        read = read_xml if _is_xml(source) else read_text
        self._alike = False
        self._asked: dict[str, Asked] = {}
        """The expressions that were read."""
        try:
            read(source, self._tree)
            self._network: Network = network(self._tree)
            self._queries = tuple(queries(self._network, [*self._tree.queries, *_beside(source)]))
            self._lower()
        except InputError as error:
            raise placed(error, self._tree) from None
        except RecursionError:
            raise InputError("this is nested too deeply", Span(source, 0, 0)) from None

    def _lower(self) -> None:
        timed = tuple(timed for each in self._asked.values() for timed in each.timed)
        differences = tuple(dict.fromkeys(bound for each in self._asked.values() for bound in each.differences))
        self._lowered: Lowered = lower(self._network, Timing(timed, differences, alike=self._alike))
        self._system = replace(self._lowered.system, queries=self._queries)

    @property
    def system(self) -> System:
        return self._system

    def with_query(self, text: str) -> UppaalModel:
        """The same model, with one more query, which is known by its text."""
        source = Source("query", text)
        other = copy(self)
        other._queries = (*self._queries, *queries(self._network, [read_query(whole(source))]))
        other._lower()
        return other

    def with_equal_bounds(self) -> UppaalModel:
        """The same model, whose zones do not tell lower from upper bounds of clocks (ExtraM+)."""
        other = copy(self)
        other._alike = True
        other._lower()
        return other

    def proposition(self, source: Source) -> Proposition:
        """Read an expression over the model's names; raises InputError with the place in `source`."""
        parser = ExpressionParser(whole(source))
        tree = parser.expression()
        parser.finished("the expression")
        name = " ".join(source.text.split())
        asked = condition_of(self._network, tree, negative=True)
        if name not in self._asked:
            self._asked[name] = asked
            if asked.timed or asked.differences or len(self._network.context.failures) >= len(self._system.failures):
                self._lower()
        expression = negated(possible(asked.condition, self._lowered, self._network.processes))
        return Proposition(name, expression, Span(source, 0, len(source.text)), timed=bool(asked.timed))


def _beside(source: Source) -> list[ast.Query]:
    """The queries of a file of the same name that ends in `.q`."""
    path = Path(source.name).with_suffix(".q")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return []
    return list(read_queries(Source(str(path), text)))


def load(source: Source, overflow: Overflow = "error", definitions: Mapping[str, str] | None = None) -> UppaalModel:
    """Read a model; raises InputError with the place in `source`."""
    if overflow == "wrap":
        raise UsageError("--overflow wrap: in UPPAAL's language a value that is out of range is an error")
    if definitions:
        raise UsageError("-D: constants of timed automata cannot be defined on the command line")
    return UppaalModel(source)


def _is_xml(source: Source) -> bool:
    return Path(source.name).suffix.lower() == ".xml" or source.text.lstrip().startswith("<")
