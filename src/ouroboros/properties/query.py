"""Queries that models bring along, each with a search in a system that was made for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ouroboros.driver.combinations import ONLY_QUERIES, Refusal
from ouroboros.ltl import Not, translate
from ouroboros.ltl.formula import Atom, Finally, Formula, Globally, Implies
from ouroboros.properties.assertions import deadlock_name
from ouroboros.properties.cycles import find_cycle, product_of
from ouroboros.properties.extremes import Extreme, found_among_states, unfinished
from ouroboros.properties.formulas.watched import Watched
from ouroboros.properties.kind import Kind, Known, Property, When
from ouroboros.system.model import Query, System
from ouroboros.verdict.report import Answer, Verdict

if TYPE_CHECKING:
    from ouroboros.driver.run import Run
    from ouroboros.driver.searching import Found
    from ouroboros.properties.asking import Asking
    from ouroboros.verdict.trace import Trace


_OF_STATES = ("always", "possibly", "endless")

_ALL_RUNS = Refusal(
    lambda run: run.fairness_asked or run.stutter is not None,
    "--fairness, --weak, --strong and --stutter say which infinite runs count, and queries that a model brings along"
    " speak of all runs, with clocks of those on which time goes on: leave it out, or choose other properties",
)


class Queried(Property):
    def __init__(self, query: Query) -> None:
        self.name = query.name
        self._query = query
        self.looks_for = "states" if query.kind in _OF_STATES else "cycles"
        self.refusals = () if self.looks_for == "states" else (_ALL_RUNS, *(() if query.diverging else (ONLY_QUERIES,)))

    def answer(self, run: Run) -> Answer:
        query = self._query
        found, trace = found_among_states(query, run) if self.looks_for == "states" else self._among_runs(run)
        answer = Answer(query.name, Verdict.HOLDS, found.search, formula=query.text)
        # What is looked for is a witness of these, and a counterexample of the others.
        exists = query.kind in ("possibly", "possibly always")
        if trace is None and (unknown := unfinished(found)):
            return replace(answer, verdict=Verdict.UNKNOWN, reason=unknown)
        if trace is None and exists:
            reason = "no run comes there" if query.kind == "possibly" else "no run stays there for ever"
            return replace(answer, verdict=Verdict.VIOLATED, reason=reason)
        if trace is not None and exists:
            return replace(answer, witness=trace, warnings=trace.warnings, certain=True)
        if trace is not None:
            reason = trace.violation.message
            if trace.timelock:
                reason += ": time cannot go on, and nothing else is possible (a timelock)"
            return replace(answer, verdict=Verdict.VIOLATED, reason=reason, trace=trace, warnings=trace.warnings)
        return answer

    def _among_runs(self, run: Run) -> tuple[Found, Trace | None]:
        from ouroboros.trace.lasso import replay_beside

        diverges = self._query.diverging if run.combination.non_zeno else None
        query = diverges() if diverges else self._query
        product = product_of(query.system(), _watched(query, diverges is not None))
        found = find_cycle(product, run)
        return found, replay_beside(product.system, product.watcher, found.finding) if found.finding else None


class Queries(Kind):
    makes = (Queried, Extreme)

    def known(self, system: System) -> Iterator[Known]:
        asked: When
        for query in system.queries:
            if not query.only_on_request:
                asked = "first"
            else:
                # Who has clocks says himself what a deadlock is.
                asked = "otherwise" if query.name == deadlock_name(system) else "on request"
            yield Known(query.name, query.text, asked)

    def read(self, asking: Asking) -> Iterator[Queried | Extreme]:
        for query in asking.system.queries:
            if query.name in asking.names:
                if query.refusal:
                    raise query.refusal
                yield Extreme(query) if query.measure else Queried(query)


def _watched(query: Query, diverges: bool = False) -> Watched:
    """The runs that are looked for are those that violate a formula."""
    propositions = {f"p{number}": each for number, each in enumerate(query.propositions())}
    formula: Formula = Finally(Atom("p0"))
    if query.kind == "leads to":
        formula = Globally(Implies(Atom("p0"), Finally(Atom("p1"))))
    if query.kind == "never for ever":
        formula = Finally(Globally(Not(Atom("p0"))))
    if diverges:
        formula = Implies(Globally(Finally(Atom(f"p{len(propositions) - 1}"))), formula)
    automaton = translate(Not(formula))
    return Watched(
        name=query.name,
        automaton=automaton,
        propositions=tuple(propositions[atom] for atom in automaton.atoms),
        locations=tuple(map(str, range(automaton.states))),
        formula=formula,
        infinite=query.kind == "never for ever",
    )
