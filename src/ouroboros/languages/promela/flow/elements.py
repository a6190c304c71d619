"""The control structure of a body, as elements: what its places and steps are made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from ouroboros.languages.promela.read import ast
from ouroboros.source import Span

Basic: TypeAlias = (
    ast.Condition
    | ast.Assignment
    | ast.Send
    | ast.Receive
    | ast.Assert
    | ast.Printf
    | ast.Printm
    | ast.SetPriority
    | ast.Else
    | ast.Event
)

Kind = Literal["basic", "goto", "join", "choice", "block", "d_step", "unless", "end"]


class Jump(NamedTuple):
    """A step that does nothing but go on: a `goto` or the like that could not be folded."""

    span: Span


class Death(NamedTuple):
    """A process has come to its end and is removed."""

    span: Span


@dataclass(eq=False)
class Element:
    """A node of the control structure; in the end those that are reached are the places of a process."""

    kind: Kind
    span: Span
    statement: Basic | Jump | Death | ast.DStep
    options: list[Run] = field(default_factory=list)
    """Of a choice: its options. Of a block or a d_step: its body. Of an unless: main part and escape."""
    label: ast.Label | None = None
    """Where a goto leads; None for a break, whose `target` is set."""
    target: Element | None = None
    next: Element | None = None
    inside: bool = False
    """In an atomic sequence, and not its last step."""
    last: bool = False
    """The last step of an atomic sequence."""
    escapes: list[Run] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    atomic: bool = False
    """A block that is an atomic sequence."""
    number: int = -1
    """In the order in which Spin makes elements; also of what it drops later."""


@dataclass(eq=False)
class Run:
    """Elements one after the other."""

    elements: list[Element] = field(default_factory=list)
    extent: int = 0
    """How many of them were written there: an end that is shared with others may follow."""

    @property
    def first(self) -> Element:
        return self.elements[0]

    def add(self, element: Element) -> None:
        if self.elements:
            self.elements[-1].next = element
        self.elements.append(element)


def all_elements(run: Run) -> Iterator[Element]:
    for element in run.elements:
        yield element
        for option in element.options:
            yield from all_elements(option)
