"""The kinds of questions, each by a line."""

from __future__ import annotations

from collections.abc import Iterator

from ouroboros.properties.assertions import Assertions
from ouroboros.properties.attainability import Attainability
from ouroboros.properties.automaton_file import AutomatonFiles
from ouroboros.properties.cover import Covers
from ouroboros.properties.coverage import Coverages
from ouroboros.properties.formula import Formulas
from ouroboros.properties.invariant import Invariants
from ouroboros.properties.kind import Kind, Option
from ouroboros.properties.query import Queries
from ouroboros.properties.requested import OnRequests
from ouroboros.properties.response import Responses

KINDS: list[Kind] = [
    Assertions(),
    Invariants(),
    OnRequests(),
    Attainability(),
    Covers(),
    Formulas(),
    AutomatonFiles(),
    Queries(),
    Responses(),
    Coverages(),
]
"""In the order of their answers."""

BY_NAME = Option(
    "properties",
    "--property",
    "NAME",
    "assertions, deadlock, or a property of the model by name (`ouro info` lists them). Repeatable.",
)
"""Chooses among those that are known by a name."""


def options() -> Iterator[Option]:
    """All by which questions are asked."""
    yield BY_NAME
    for kind in KINDS:
        yield from kind.options
