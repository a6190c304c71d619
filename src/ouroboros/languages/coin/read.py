"""Text of CoIn to its automata: tokens, and the grammar of DiVinE by recursive descent."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from ouroboros.errors import InputError
from ouroboros.source import Source, Span

Item = TypeVar("Item")

_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_TOKEN = re.compile(r"->|[A-Za-z0-9_']+|[(){};,*!-]")
_PRIMITIVE, _COMPOSITE = ("automaton", "primitive"), ("composite", "composed")
_RESTRICT, _ONLY = ("restrictL", "restrict"), ("onlyL", "only")
_WORDS = {*_PRIMITIVE, *_COMPOSITE, *_RESTRICT, *_ONLY, "state", "init", "accept", "trans", "system", "property", "not"}

LabelKey = tuple[str | None, str, str | None]
"""Sender, action and receiver; None stands for the environment."""


class Name(NamedTuple):
    text: str
    span: Span


class Label(NamedTuple):
    key: LabelKey
    span: Span


class Transition(NamedTuple):
    origin: Name
    target: Name
    label: Label
    span: Span


@dataclass(frozen=True)
class Primitive:
    name: Name
    components: tuple[Name, ...]
    states: tuple[Name, ...]
    initial: Name
    transitions: tuple[Transition, ...]


@dataclass(frozen=True)
class Composite:
    name: Name
    members: tuple[Name, ...]
    kind: Literal["all", "without", "only"]
    """Which labels of its members are its own: all of them, those that are not listed, or those that are."""
    labels: tuple[Label, ...]


class PropertyStep(NamedTuple):
    """Goes with a step whose label is listed, or with `others` is not, where labels are enabled and others are not."""

    origin: Name
    target: Name
    others: bool
    labels: tuple[Label, ...]
    enabled: tuple[Label, ...]
    disabled: tuple[Label, ...]
    span: Span


@dataclass(frozen=True)
class PropertyProcess:
    span: Span
    states: tuple[Name, ...]
    initial: Name
    accepting: tuple[Name, ...]
    steps: tuple[PropertyStep, ...]


@dataclass(frozen=True)
class Text:
    automata: tuple[Primitive | Composite, ...]
    system: Name
    property: PropertyProcess | None


class _Token(NamedTuple):
    text: str
    start: int
    end: int


def read(source: Source) -> Text:
    """Raises InputError with the place."""
    return _Parser(source).text()


def read_label(source: Source, start: int) -> Label:
    """A label that stands alone, from a place of the text on."""
    parser = _Parser(source, start)
    label = parser.label()
    parser.end()
    return label


class _Parser:
    def __init__(self, source: Source, start: int = 0) -> None:
        self.source = source
        self.tokens = list(self._tokens(start))
        self.at = 0

    def _tokens(self, at: int) -> list[_Token]:
        text, found = self.source.text, list[_Token]()
        while True:
            space = _SPACE.match(text, at)
            at = space.end() if space else at
            if at == len(text):
                return [*found, _Token("", at, at)]
            match = _TOKEN.match(text, at)
            if match is None:
                what = (
                    "a comment that does not end" if text.startswith("/*", at) else f"{text[at]!r} means nothing here"
                )
                raise InputError(what, Span(self.source, at, at + 1))
            found.append(_Token(match[0], at, match.end()))
            at = match.end()

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def span(self, start: int) -> Span:
        return Span(self.source, start, self.tokens[self.at - 1].end)

    def wrong(self, wanted: str) -> InputError:
        token = self.token
        said = token.text or "the end of the file"
        return InputError(
            f"{said} where {wanted} was expected", Span(self.source, token.start, max(token.end, token.start + 1))
        )

    def takes(self, *texts: str) -> bool:
        if self.token.text and self.token.text in texts:
            self.at += 1
            return True
        return False

    def expect(self, *texts: str) -> None:
        if not self.takes(*texts):
            raise self.wrong(f"`{texts[0]}`")

    def end(self) -> None:
        if self.token.text:
            raise self.wrong("the end")

    def name(self, what: str) -> Name:
        token = self.token
        if not re.fullmatch(r"[\w']+", token.text) or token.text in _WORDS:
            raise self.wrong(what)
        self.at += 1
        return Name(token.text, Span(self.source, token.start, token.end))

    def listed(self, item: Callable[[], Item]) -> tuple[Item, ...]:
        found = [item()]
        while self.takes(","):
            found.append(item())
        return tuple(found)

    def text(self) -> Text:
        automata: list[Primitive | Composite] = []
        while True:
            if self.takes(*_PRIMITIVE):
                automata.append(self.primitive())
            elif self.takes(*_COMPOSITE):
                automata.append(self.composite())
            else:
                break
        if not self.takes("system"):
            raise self.wrong("`automaton`, `composite` or `system`")
        system = self.name("the name of an automaton")
        self.expect(";")
        process = self.property() if self.takes("property") else None
        self.end()
        return Text(tuple(automata), system, process)

    def primitive(self) -> Primitive:
        name = self.name("the name of an automaton")
        components = tuple(self.components())
        self.expect("{")
        states, initial = self.states()
        transitions: list[Transition] = []
        if self.takes("trans"):
            transitions.append(self.transition(None))
            while self.takes(","):
                transitions.append(self.transition(transitions[-1].origin))
            self.expect(";")
        self.expect("}")
        return Primitive(name, components, states, initial, tuple(transitions))

    def components(self) -> list[Name]:
        """Names of components in parentheses, which may be nested as the components are."""
        self.expect("(")
        if self.token.text == "(":
            found = [each for group in self.listed(self.components) for each in group]
        else:
            found = list(self.listed(lambda: self.name("the name of a component")))
        self.expect(")")
        return found

    def states(self) -> tuple[tuple[Name, ...], Name]:
        self.expect("state")
        states = self.listed(lambda: self.name("the name of a state"))
        self.expect(";")
        self.expect("init")
        initial = self.name("the name of a state")
        self.expect(";")
        return states, initial

    def transition(self, before: Name | None) -> Transition:
        """Without an origin, it begins where the one before it does."""
        start = self.token.start
        origin = before if before and self.token.text == "->" else self.name("the name of a state")
        self.expect("->")
        target = self.name("the name of a state")
        label = self.label()
        return Transition(origin, target, label, self.span(start))

    def label(self) -> Label:
        start = self.token.start
        self.expect("(")
        sender = None if self.takes("-") else self.name("the name of a component, or `-`").text
        self.expect(",")
        action = self.name("the name of an action").text
        self.expect(",")
        receiver = None if self.takes("-") else self.name("the name of a component, or `-`").text
        self.expect(")")
        if sender is None and receiver is None:
            raise InputError("a label has a sender, a receiver, or both", self.span(start))
        return Label((sender, action, receiver), self.span(start))

    def composite(self) -> Composite:
        name = self.name("the name of an automaton")
        self.expect("{")
        members = self.listed(lambda: self.name("the name of an automaton"))
        self.expect(";")
        kind: Literal["all", "without", "only"] = "all"
        labels: tuple[Label, ...] = ()
        if self.token.text in (*_RESTRICT, *_ONLY):
            kind = "only" if self.takes(*_ONLY) else "without"
            self.takes(*_RESTRICT)
            labels = self.listed(self.label)
            self.expect(";")
        self.expect("}")
        return Composite(name, members, kind, labels)

    def property(self) -> PropertyProcess:
        start = self.tokens[self.at - 1].start
        self.expect("{")
        states, initial = self.states()
        self.expect("accept")
        accepting = self.listed(lambda: self.name("the name of a state"))
        self.expect(";")
        self.expect("trans")
        steps = self.listed(self.property_step)
        self.expect(";")
        self.expect("}")
        return PropertyProcess(self.span(start), states, initial, accepting, steps)

    def property_step(self) -> PropertyStep:
        start = self.token.start
        origin = self.name("the name of a state")
        self.expect("->")
        target = self.name("the name of a state")
        self.expect("{")
        others = self.takes("*")
        labels = self.listed(self.label) if not others or self.takes("-") else ()
        self.expect("}")
        self.expect("{")
        enabled: list[Label] = []
        disabled: list[Label] = []
        if self.token.text != "}":
            self.listed(lambda: (disabled if self.takes("!", "not") else enabled).append(self.label()))
        self.expect("}")
        return PropertyStep(origin, target, others, labels, tuple(enabled), tuple(disabled), self.span(start))
