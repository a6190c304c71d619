"""A `d_step`: one step, in which the first executable statement is always taken and nothing may block but the first.

The first statement may also be the receiving side of a rendezvous; the rest is then done together with the handshake.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ouroboros.languages.promela.flow.elements import Element, Jump
from ouroboros.languages.promela.flow.flow import DStepFlow, Step
from ouroboros.languages.promela.flow.written import Texts
from ouroboros.languages.promela.lower.procedures import Temporaries
from ouroboros.languages.promela.lower.statements import Lowered, StatementLowering
from ouroboros.languages.promela.read import ast
from ouroboros.source import Span
from ouroboros.system.blocks import Block, If, Inner, Print, Require, SetLocal, While
from ouroboros.system.expressions import FALSE, Binary, Constant, Local, disjunction, is_constant

MOST_ROUNDS = 1 << 24
"""A d_step that loops more often than this is taken to loop for ever."""


def lower_d_step(element: Element, lowering: StatementLowering, temporaries: Temporaries, texts: Texts) -> Lowered:
    return _DStep(element, lowering, temporaries, texts).lower()


def first_receives(element: Element) -> list[Step]:
    """What a d_step can begin with and another process may have a part in, in the order in which it is tried."""
    flow = DStepFlow(element)
    return [step for step in flow.at[flow.start] if isinstance(step.statement, ast.Receive)]


def rest_of_d_step(
    element: Element, first: Step, lowering: StatementLowering, temporaries: Temporaries, texts: Texts
) -> Block:
    """What a d_step does after its first statement."""
    return _DStep(element, lowering, temporaries, texts).after(first)


class _DStep:
    def __init__(self, element: Element, lowering: StatementLowering, temporaries: Temporaries, texts: Texts) -> None:
        self.texts = texts
        self.flow = DStepFlow(element)
        self.lowering = lowering
        self.temporaries = temporaries
        self.span: Span = element.span
        arrivals = Counter(step.target for steps in self.flow.at.values() for step in steps)
        arrivals[self.flow.start] += 1
        heads = [place for place in self.flow.at if arrivals[place] > 1]
        self.heads = {place: number for number, place in enumerate(heads, 1)}
        """Where several ways meet: code for these stands once, and is run when its turn has come."""
        self.turn: Local | None = temporaries.new() if heads else None
        self.steps = {place: [(step, self._step(step)) for step in steps] for place, steps in self.flow.at.items()}

    def lower(self) -> Lowered:
        guard = disjunction(*(lowered.guard for _, lowered in self.steps[self.flow.start]))
        return Lowered(guard, self._to_the_end(self._go_to(self.flow.start)))

    def after(self, first: Step) -> Block:
        return self._to_the_end(self._go_to(first.target))

    def _to_the_end(self, block: Block) -> Block:
        if self.turn is not None:
            body: Block = ()
            for place, number in reversed(self.heads.items()):
                body = (If(Binary("==", self.turn, Constant(number)), self._at(place), body),)
            site = self.lowering.sites.site("loop", "a d_step that does not end", self.span)
            block = (*block, While(Binary("!=", self.turn, Constant(0)), body, MOST_ROUNDS, site))
        return block

    def _step(self, step: Step) -> Lowered:
        assert not isinstance(step.statement, ast.DStep)
        return self.lowering.lower(step.statement, self.temporaries, divisible=False)

    def _at(self, place: Element) -> Block:
        return self._first(self.steps[place], place)

    def _first(self, steps: Sequence[tuple[Step, Lowered]], place: Element) -> Block:
        if not steps:
            site = self.lowering.sites.site("block", "a statement inside of a d_step blocks", place.span)
            return (Require(FALSE, site),)
        (step, lowered), *others = steps
        then = (*self._told(step), *lowered.effect, *self._go_to(step.target))
        return then if is_constant(lowered.guard, 1) else (If(lowered.guard, then, self._first(others, place)),)

    def _told(self, step: Step) -> Block:
        if isinstance(step.statement, Jump):
            return ()
        return (Print((), Inner(self.texts.of(step.statement), step.element.span)),)

    def _go_to(self, place: Element | None) -> Block:
        if place is None:
            return (SetLocal(self.turn.slot, Constant(0)),) if self.turn is not None else ()
        if place in self.heads:
            assert self.turn is not None
            return (SetLocal(self.turn.slot, Constant(self.heads[place])),)
        return self._at(place)
