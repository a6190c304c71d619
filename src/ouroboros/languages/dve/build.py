"""The parser's reductions: each method makes a node from the children of the grammar rule of the same name.

A part of a process or of a transition travels as a named section, (name, items), to the node that it belongs to.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lark import Transformer

from ouroboros.errors import InputError
from ouroboros.languages.dve import ast
from ouroboros.languages.dve.lex import Token
from ouroboros.languages.dve.precedence import balanced, fold
from ouroboros.source import Source, Span

LARGEST_NUMBER = 2**31 - 1

_CANONICAL = {"&&": "and", "||": "or", "!": "not"}

Children = list[Any]


class _Section(NamedTuple):
    name: str
    items: tuple[Any, ...]
    keyword: Token | None = None


class Builder(Transformer[Token, Any]):
    """Builds the tree of `source`, which must be set before parsing starts."""

    source: Source

    def _span(self, first: Token, last: Token) -> Span:
        return Span(self.source, first.start_pos, last.end_pos)

    def _identifier(self, token: Token) -> ast.Identifier:
        return ast.Identifier(Span(self.source, token.start_pos, token.end_pos), token.text)

    # The model and its declarations

    def model(self, children: Children) -> ast.Model:
        *items, (kind, property_name) = children
        return ast.Model(
            _items(items, "variables"),
            _items(items, "channels"),
            tuple(item for item in items if isinstance(item, ast.Process)),
            kind.type == "SYNC",
            self._span(kind, kind),
            self._identifier(property_name) if property_name else None,
        )

    def system(self, children: Children) -> Children:
        return children

    def declaration(self, children: Children) -> _Section:
        constant, kind, *variables = children
        return _Section(
            "variables",
            tuple(
                ast.VariableDeclaration(self._identifier(name), kind.text, constant is not None, size, initial)
                for name, size, initial in variables
            ),
        )

    def variable(self, children: Children) -> Children:
        return children

    def channels(self, children: Children) -> _Section:
        message, *channels = children
        return _Section(
            "channels",
            tuple(ast.ChannelDeclaration(self._identifier(name), message, capacity) for name, capacity in channels),
        )

    def channel(self, children: Children) -> Children:
        return children

    def message(self, children: Children) -> tuple[str, ...]:
        return tuple(token.text for token in children)

    # Processes

    def process(self, children: Children) -> ast.Process:
        name, *sections, transitions = children
        return ast.Process(
            self._identifier(name),
            _items(sections, "variables"),
            _items(sections, "channels"),
            _items(sections, "states"),
            _items(sections, "initial"),
            _items(sections, "accepting"),
            _items(sections, "committed"),
            _items(sections, "assertions"),
            transitions or (),
        )

    def states(self, children: Children) -> _Section:
        return _Section("states", tuple(map(self._identifier, children)))

    def initial(self, children: Children) -> _Section:
        return _Section("initial", tuple(map(self._identifier, children)))

    def accepting(self, children: Children) -> _Section:
        return _Section("accepting", tuple(map(self._identifier, children)))

    def committed(self, children: Children) -> _Section:
        return _Section("committed", tuple(map(self._identifier, children)))

    def assertions(self, children: Children) -> _Section:
        return _Section("assertions", tuple(children))

    def assertion(self, children: Children) -> ast.Assertion:
        state, condition = children
        return ast.Assertion(self._identifier(state), condition)

    # Transitions

    def transitions(self, children: Children) -> tuple[ast.Transition, ...]:
        return tuple(children)

    def transition(self, children: Children) -> ast.Transition:
        first, target, *sections, last = children
        by_name: dict[str, tuple[Any, ...]] = {}
        for name, items, keyword in sections:
            if name in by_name:
                raise InputError(
                    f"this transition has a second `{keyword.text}`",
                    self._span(keyword, keyword),
                    "join them into one, separated by commas" if name != "synchronisation" else None,
                )
            by_name[name] = items
        guards = by_name.get("guards")
        synchronisations = by_name.get("synchronisation")
        return ast.Transition(
            self._span(first, last),
            None if first.type == "ARROW" else self._identifier(first),
            self._identifier(target),
            balanced(guards, "and") if guards else None,
            synchronisations[0] if synchronisations else None,
            by_name.get("effects", ()),
        )

    def guard(self, children: Children) -> _Section:
        return _Section("guards", tuple(children[1:]), children[0])

    def effect(self, children: Children) -> _Section:
        return _Section("effects", tuple(children[1:]), children[0])

    def send(self, children: Children) -> _Section:
        keyword, channel, values = children
        items = values.items if isinstance(values, ast.Values) else () if values is None else (values,)
        return _Section("synchronisation", (ast.Send(channel.span, channel, items),), keyword)

    def receive(self, children: Children) -> _Section:
        keyword, channel, places = children
        items = (places,) if isinstance(places, ast.Name) else places or ()
        return _Section("synchronisation", (ast.Receive(channel.span, channel, items),), keyword)

    def channel_name(self, children: Children) -> ast.ChannelName:
        owner = children[0].text if len(children) == 2 else None
        return ast.ChannelName(self._span(children[0], children[-1]), owner, children[-1].text)

    def assignment(self, children: Children) -> ast.Assignment:
        return ast.Assignment(*children)

    def place(self, children: Children) -> ast.Name:
        return self.name(children) if len(children) == 1 else self.element(children)

    def places(self, children: Children) -> tuple[ast.Name, ...]:
        return tuple(children)

    def values(self, children: Children) -> ast.Values:
        return ast.Values(tuple(children))

    # Expressions

    def standalone(self, children: Children) -> ast.Expression:
        expression: ast.Expression = children[0]
        return expression

    def operation(self, children: Children) -> ast.Expression:
        operators = [_CANONICAL.get(token.text, token.text) for token in children[1::2]]
        return fold(children[::2], operators)

    def unary(self, children: Children) -> ast.Expression:
        sign, operand = children
        span = Span(self.source, sign.start_pos, operand.span.end)
        return ast.Unary(span, _CANONICAL.get(sign.text, sign.text), operand)

    def number(self, children: Children) -> ast.Number:
        (token,) = children
        span = Span(self.source, token.start_pos, token.end_pos)
        # The length comes first: Python refuses to convert thousands of digits.
        if len(token.text.lstrip("0")) > 10 or int(token.text) > LARGEST_NUMBER:
            raise InputError("this number is too large", span, f"the largest is {LARGEST_NUMBER}")
        return ast.Number(span, int(token.text))

    def true(self, children: Children) -> ast.Number:
        return ast.Number(self._span(children[0], children[0]), 1)

    def false(self, children: Children) -> ast.Number:
        return ast.Number(self._span(children[0], children[0]), 0)

    def name(self, children: Children) -> ast.Name:
        (token,) = children
        return ast.Name(Span(self.source, token.start_pos, token.end_pos), token.text, None)

    def element(self, children: Children) -> ast.Name:
        name, index, bracket = children
        return ast.Name(self._span(name, bracket), name.text, index)

    def member(self, children: Children) -> ast.Member:
        process, name = children
        return ast.Member(self._span(process, name), process.text, name.text)

    def foreign(self, children: Children) -> ast.Foreign:
        process, name = children
        return ast.Foreign(self._span(process, name), process.text, name.text, None)

    def foreign_element(self, children: Children) -> ast.Foreign:
        process, name, index, bracket = children
        return ast.Foreign(self._span(process, bracket), process.text, name.text, index)


def _items(sections: list[Any], name: str) -> tuple[Any, ...]:
    return tuple(
        item for section in sections if isinstance(section, _Section) and section.name == name for item in section.items
    )
