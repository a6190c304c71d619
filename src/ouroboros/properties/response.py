"""Responses `p ~> q`: whenever p holds, q holds then or later.

As in the paper, a run may stutter, so that only fairness makes it go on; but a formula speaks of the model's own runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ouroboros.driver.combinations import ONLY_QUERIES
from ouroboros.driver.stages import COMPILING, CONFIRMING
from ouroboros.errors import InputError
from ouroboros.properties.brought import brought_by
from ouroboros.properties.cycles import FairSearch, find_fair_cycle, judged, told_runs
from ouroboros.properties.formulas.reading import proposition_in_place
from ouroboros.properties.formulas.watched import Response
from ouroboros.properties.kind import Kind, Known, Option, Property
from ouroboros.source import Source, Span
from ouroboros.system.model import Proposition, System
from ouroboros.verdict.report import Answer, Verdict

if TYPE_CHECKING:
    from ouroboros.driver.run import Run
    from ouroboros.languages import Model
    from ouroboros.properties.asking import Asking
    from ouroboros.system.model import ResponseProperty as Stated

_ARROW = "~>"


class ResponseProperty(Property):
    looks_for = "fair cycles"
    refusals = (ONLY_QUERIES,)

    def __init__(self, response: Response) -> None:
        self.name = response.name
        self.stutters = response.stutters
        self._response = response

    def answer(self, run: Run) -> Answer:
        from ouroboros.native import compile_system
        from ouroboros.trace.fair import replay_response

        p, q, fair = self._response.p, self._response.q, run.fair_runs(self.stutters)
        search = FairSearch("response", "p ~> q", "propagation of actions")
        with run.resources.limits.stage(COMPILING):
            program = compile_system(run.system, (p, q))
        found = find_fair_cycle(search, run.system, program, fair, run)
        trace = None
        if found.finding:
            with run.resources.limits.stage(CONFIRMING, False):
                trace = replay_response(run.system, p, q, found.finding, fair)
        formula = str(self._response.formula) if self._response.formula else None
        answer = Answer(self.name, Verdict.HOLDS, found.search, formula=formula, runs=told_runs(fair))
        numbers = found.search.statistics.fair
        vacuous = numbers and numbers.start_states == 0
        warnings = [f"it holds vacuously: in no state `{p.name}` holds and `{q.name}` does not"]
        return judged(answer, trace, found, warnings if vacuous else ())


class Responses(Kind):
    makes = (ResponseProperty,)
    options = (
        Option(
            "responses",
            "--response",
            "'P ~> Q'",
            "Whenever the expression P holds, Q holds then or later, on every fair run. Repeatable.",
        ),
    )
    fair_by_actions = True

    def known(self, system: System) -> Iterator[Known]:
        for name in brought_by(system).responses:
            yield Known(name, "whenever p holds, q holds then or later", "also")

    def read(self, asking: Asking) -> Iterator[ResponseProperty]:
        for name, stated in brought_by(asking.system).responses.items():
            if name in asking.names:
                yield ResponseProperty(_stated(stated._replace(name=name)))
        for text in asking.texts("responses"):
            yield ResponseProperty(read_response(text, asking.model))


def _stated(stated: Stated) -> Response:
    p = Proposition(f"p of {stated.name}", stated.p, stated.span)
    return Response(stated.name, p, Proposition(f"q of {stated.name}", stated.q, stated.span), stutters=True)


def read_response(text: str, model: Model) -> Response:
    """`p ~> q`, each side read where it stands."""
    source = Source("--response", text)
    at = text.find(_ARROW)
    if at < 0:
        raise InputError(f"there is no {_ARROW} in it", Span(source, 0, len(text)), "write p ~> q")
    again = text.find(_ARROW, at + len(_ARROW))
    if again >= 0:
        raise InputError(f"a second {_ARROW}", Span(source, again, again + len(_ARROW)), "one property at a time")
    p, q = (_side(source, *bounds, model) for bounds in ((0, at), (at + len(_ARROW), len(text))))
    return Response(" ".join(text.split()), p, q, stutters=True)


def _side(source: Source, start: int, end: int, model: Model) -> Proposition:
    text = source.text[start:end]
    if not text.strip():
        raise InputError(f"an expression is expected on each side of {_ARROW}", Span(source, start, end))
    start += len(text) - len(text.lstrip())
    return proposition_in_place(model, " ".join(text.split()), Span(source, start, start + len(text.strip())))
