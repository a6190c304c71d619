"""Formulas of temporal logic, and automata that models bring along: no run violates them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Self

from ouroboros.driver.combinations import ONLY_QUERIES
from ouroboros.driver.stages import COMPILING, CONFIRMING, REDUCING
from ouroboros.errors import InputError, UsageError
from ouroboros.ltl.formula import Next, subformulas
from ouroboros.properties.brought import brought_by
from ouroboros.properties.cycles import (
    FairSearch,
    Product,
    find_cycle,
    find_fair_cycle,
    judged,
    product_of,
    told_runs,
)
from ouroboros.properties.formulas.choueka import under_fairness
from ouroboros.properties.formulas.ltl_file import parse_formulas
from ouroboros.properties.formulas.reading import from_formula
from ouroboros.properties.formulas.vacuity import vacuity_warnings
from ouroboros.properties.formulas.watched import Watched, from_model
from ouroboros.properties.kind import Kind, Known, Option, Property, Section
from ouroboros.properties.response import ResponseProperty
from ouroboros.source import Source, Span
from ouroboros.system.model import System
from ouroboros.trace.fair import ALL_RUNS, FairRuns
from ouroboros.units import plural
from ouroboros.verdict.report import Answer, Verdict

if TYPE_CHECKING:
    from ouroboros.certificate.verify import RunsClaim
    from ouroboros.driver.reducing import Runs
    from ouroboros.driver.run import Run
    from ouroboros.driver.searching import Found
    from ouroboros.properties.asking import Asking, Fair
    from ouroboros.verdict.trace import Trace


class WatchedProperty(Property):
    """A property whose violations an automaton accepts."""

    looks_for = "cycles"
    refusals = (ONLY_QUERIES,)

    def __init__(self, watched: Watched) -> None:
        self.name = watched.name
        self.watched = watched

    def under(self, fair: Fair) -> Property:
        if self.watched.response and fair.actions:
            # Without fairness, the searches for accepting cycles need not see the whole model.
            return ResponseProperty(self.watched.response)
        return WatchedProperty(under_fairness(self.watched, fair.conditions)) if fair.conditions else self

    def answer(self, run: Run) -> Answer:
        from ouroboros.trace.lasso import replay_beside

        fair = run.fair_runs(self.stutters)
        found, product = self._found(run, fair)
        trace = None
        if found.finding:
            with run.resources.limits.stage(CONFIRMING, False):
                trace = replay_beside(product.system, product.watcher, found.finding, fair)
        return self._judged(found, trace, fair)

    def _found(self, run: Run, fair: FairRuns) -> tuple[Found, Product]:
        from ouroboros.trace.unreduced import unreduced_beside

        runs = self._runs(fair)
        with run.resources.limits.stage(REDUCING):
            reduced = run.reductions.for_runs(run.system, runs)
        product = product_of(reduced.system if reduced else run.system, self.watched)
        if fair != ALL_RUNS:
            return self._found_fairly(product, fair, run), product
        evidence = run.certifying.evidence(_section(self.watched, product.system)) if run.certifying else None
        found = find_cycle(product, run, runs, evidence)
        if run.certifying:
            run.certifying.lacks(found.evidence_limit)
        if reduced:
            # Whatever was left out of the search, the run must be one of the whole system.
            whole = run.system
            product = product._replace(
                system=replace(product.system, actions=whole.actions, choices=whole.choices, failures=whole.failures)
            )
            if found.finding:
                with run.resources.limits.stage(CONFIRMING, False):
                    finding = unreduced_beside(product.system, product.watcher, reduced, found.finding)
                found = found._replace(finding=finding)
        return found, product

    def _found_fairly(self, product: Product, fair: FairRuns, run: Run) -> Found:
        from ouroboros.native import compile_system

        system, watcher = product
        search = FairSearch(
            "fair owcty", repr(watcher.automaton), "propagation of actions and of accepting states",
            (watcher.automaton, watcher.field),
        )  # fmt: skip
        with run.resources.limits.stage(COMPILING):
            program = compile_system(system, watcher.propositions)
        return find_fair_cycle(search, system, program, fair, run)

    def _runs(self, fair: FairRuns) -> Runs:
        """A formula must not count steps; what an automaton of the model counts, nobody knows."""
        from ouroboros.driver.reducing import Runs

        watched, counts = self.watched, None
        if watched.formula is None and not watched.stutters:
            counts = f"for {watched.name}, which may count steps"
        elif watched.formula is not None and any(isinstance(node, Next) for node in subformulas(watched.formula)):
            counts = f"for {watched.name}, which speaks of next states"
        return Runs(watched.propositions, watched.fair or fair != ALL_RUNS, counts)

    def _judged(self, found: Found, trace: Trace | None, fair: FairRuns) -> Answer:
        watched, statistics = self.watched, found.search.statistics
        answer = Answer(
            self.name,
            Verdict.HOLDS,
            found.search,
            automaton=watched.automaton,
            formula=str(watched.formula) if watched.formula else None,
            runs=told_runs(fair) if fair != ALL_RUNS else None,
        )
        return judged(answer, trace, found, vacuity_warnings(watched, statistics.seen_true, statistics.seen_false))

    @classmethod
    def claims(cls, properties: Sequence[Self], system: System) -> Iterator[tuple[Section, RunsClaim]]:
        from ouroboros.certificate.verify import RunsClaim

        for each in properties:
            product, watcher = product_of(system, each.watched)
            claim = RunsClaim(product, watcher.automaton, watcher.propositions, watcher.field)
            yield _section(each.watched, product), claim


class Formulas(Kind):
    makes = (WatchedProperty,)
    options = (
        Option(
            "ltl",
            "--ltl",
            "FORMULA",
            "A formula of temporal logic that every run must satisfy, such as '[] (request -> <> answer)'. Repeatable.",
        ),
        Option(
            "ltl_files",
            "--ltl-file",
            "FILE",
            "Formulas in DiVinE's format: lines `#define name expression` and `#property formula`. Repeatable.",
            file=True,
        ),
    )

    def known(self, system: System) -> Iterator[Known]:
        brought = brought_by(system)
        for name, automaton in brought.automata.items():
            states, steps = plural(len(automaton.states), "state"), plural(len(automaton.steps), "transition")
            chosen = automaton.only_on_request
            meaning = f"{automaton.meaning}: {states}, {steps}{', only if chosen' if chosen else ''}"
            yield Known(name, meaning, "on request" if chosen else "first")
        for name, formula in brought.formulas.items():
            yield Known(name, " ".join(formula.text.text.split()), "first")

    def read(self, asking: Asking) -> Iterator[Property]:
        yield from map(WatchedProperty, self._watched(asking))

    def _watched(self, asking: Asking) -> Iterator[Watched]:
        model, names = asking.model, asking.names
        brought = brought_by(asking.system)
        for name, automaton in brought.automata.items():
            if name in names:
                yield replace(from_model(automaton), name=name)
        for name, formula in brought.formulas.items():
            if name in names:
                yield from_formula(model, formula.text, name=name)
        for text in asking.texts("ltl"):
            yield _from_option(asking, Span(Source("--ltl", text), 0, len(text)))
        for source in asking.files("ltl_files"):
            file = parse_formulas(source)
            yield from (from_formula(model, span, file.definitions) for span in file.properties)


def _from_option(asking: Asking, span: Span) -> Watched:
    try:
        return from_formula(asking.model, span)
    except InputError as error:
        name = span.text.strip()
        if Path(name).is_file() or Path(name).suffix == ".ltl":
            raise UsageError(
                f"--ltl {name}: a formula is expected here: --ltl-file {name} reads those of a file"
            ) from error
        raise


def _section(watched: Watched, product: System) -> Section:
    """The states are those of the product, each with its rank."""
    identity = sha256(repr(watched.automaton).encode()).hexdigest()
    return {
        "kind": "runs",
        "properties": [watched.name],
        "words": product.layout.words + 1,
        "automaton": identity,
    }
