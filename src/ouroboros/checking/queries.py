"""Queries that the model brings along, each with a search in a system that was made for it."""

from __future__ import annotations

from dataclasses import replace

from ouroboros.checking.combinations import Combination
from ouroboros.checking.searching import Resources, find_cycle, reach
from ouroboros.checking.watched import Watched
from ouroboros.ltl import Not, translate
from ouroboros.ltl.formula import Atom, Finally, Formula, Globally, Implies
from ouroboros.system.model import Query
from ouroboros.trace.fair import ALL_RUNS
from ouroboros.trace.lasso import replay_beside
from ouroboros.trace.replay import replay
from ouroboros.verdict.report import Answer, Verdict


def answer_query(query: Query, combination: Combination, resources: Resources) -> tuple[Answer, int]:
    """The answer, and the most memory that its search had."""
    system = query.system()
    if query.kind in ("always", "possibly"):
        required = tuple(query.propositions())
        found = reach(system, [required], False, False, resources)
        trace = replay(system, found.finding, required) if found.finding else None
    else:
        watched = _watched(query)
        found, product, watcher = find_cycle(system, watched, ALL_RUNS, combination, resources)
        trace = replay_beside(product, watcher, found.finding) if found.finding else None
    answer = Answer(query.name, Verdict.HOLDS, found.search, formula=query.text)
    # What is looked for is a witness of these, and a counterexample of the others.
    exists = query.kind in ("possibly", "possibly always")
    if trace is None and found.search.limit:
        answer = replace(answer, verdict=Verdict.UNKNOWN, reason=found.search.limit)
    elif trace is None and exists:
        reason = "no run comes there" if query.kind == "possibly" else "no run stays there for ever"
        answer = replace(answer, verdict=Verdict.VIOLATED, reason=reason)
    elif trace is not None and not exists:
        answer = replace(answer, verdict=Verdict.VIOLATED, reason=trace.violation.message, trace=trace)
    return answer, found.peak_bytes


def _watched(query: Query) -> Watched:
    """The runs that are looked for are those that violate a formula."""
    propositions = {f"p{number}": each for number, each in enumerate(query.propositions())}
    formula: Formula = Finally(Atom("p0"))
    if query.kind == "leads to":
        formula = Globally(Implies(Atom("p0"), Finally(Atom("p1"))))
    automaton = translate(Not(formula))
    return Watched(
        name=query.name,
        automaton=automaton,
        propositions=tuple(propositions[atom] for atom in automaton.atoms),
        locations=tuple(map(str, range(automaton.states))),
        formula=formula,
    )
