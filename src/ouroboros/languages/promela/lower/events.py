"""Trace assertions: an automaton that watches what is sent and received on some channels.

A `trace` must be able to follow every event that it mentions anywhere (a channel, and whether something is sent or
received); where it cannot, that is an error, and it stays where it is. A `notrace` must not come to its end; where it
cannot follow, it has done its duty and watches no more.
"""

from __future__ import annotations

from collections.abc import Sequence

from ouroboros.errors import InputError
from ouroboros.languages.promela.flow.flow import Flow
from ouroboros.languages.promela.lower.expressions import Meaning
from ouroboros.languages.promela.lower.fields import GLOBALS, Bank, Fields
from ouroboros.languages.promela.lower.sites import Sites
from ouroboros.languages.promela.read import ast, terms
from ouroboros.system.blocks import Assert, Assign, Block, If
from ouroboros.system.expressions import (
    FALSE,
    TRUE,
    Binary,
    Constant,
    Expression,
    conjunction,
    disjunction,
    equal,
    is_constant,
)
from ouroboros.system.layout import Field, bits_for


class Events:
    def __init__(self, process: ast.Process, fields: Fields, sites: Sites) -> None:
        self.process = process
        self.meaning = Meaning(fields, sites, None)
        self.flow = Flow(process)
        self.numbers = {place: number for number, place in enumerate(self.flow.at)}
        self.end = next((n for place, n in self.numbers.items() if place.kind == "end"), len(self.numbers))
        names = tuple("end" if place.kind == "end" else f"line {place.span.line}" for place in self.flow.at)
        self.location = fields.add(
            Field(process.kind, GLOBALS, bits_for(len(self.numbers) + 1), value_names=(*names, "end"))
        )
        self.site = sites.site(
            "assertion",
            "event trace error: no matching event"
            if process.kind == "trace"
            else "event trace error: all events matched",
            process.span,
        )
        self.steps = [
            (place, step.statement, step.target)
            for place, groups in self.flow.at.items()
            for group in groups
            for step in group.steps
            if isinstance(step.statement, ast.Event)
        ]

    @property
    def initial(self) -> Block:
        return (Assign(self.location, None, Constant(self.numbers[self.flow.start])),)

    def may_end(self) -> Expression:
        """Whether the automaton is where a run may end."""
        return disjunction(
            equal(self.location, self.end),
            *(
                equal(self.location, number)
                for place, number in self.numbers.items()
                if self.flow.is_at(place, "end") or place.kind == "end"
            ),
        )

    def seen(self, sends: bool, bank: Bank, index: Expression, values: Sequence[Expression]) -> Block:
        """What the automaton does when a message is sent or received."""
        events = [each for each in self.steps if each[1].sends == sends and self._bank(each[1]) is bank]
        if not events:
            return ()
        trace = self.process.kind == "trace"
        otherwise: Block = (Assert(FALSE, self.site),) if trace else (Assign(self.location, None, Constant(self.end)),)
        block = otherwise
        for place, event, target in reversed(events):
            assert target
            matches = [
                Binary("==", value, self.meaning.lower(argument.value))
                for value, argument in zip(values, event.arguments, strict=False)
                if isinstance(argument, terms.Match)
            ]
            here = conjunction(equal(self.location, self.numbers[place]), self._same(event, index), *matches)
            follow: Block = (Assign(self.location, None, Constant(self.numbers[target])),)
            if target.kind == "end" and not trace:
                follow = (*follow, Assert(FALSE, self.site))
            block = (If(here, follow, block),)
        in_scope = disjunction(*(self._same(event, index) for _, event, _ in events))
        return block if is_constant(in_scope, 1) else (If(in_scope, block),)

    def _bank(self, event: ast.Event) -> Bank:
        channel = self.meaning.channel(event.channel)
        if channel.variable is not None:
            raise InputError("a trace assertion can only watch channels that are never replaced", event.span)
        return channel.options[0][0]

    def _same(self, event: ast.Event, index: Expression) -> Expression:
        own = self.meaning.channel(event.channel).options[0][1]
        if isinstance(own, Constant) and isinstance(index, Constant):
            return TRUE if own.value == index.value else FALSE
        return Binary("==", own, index)
