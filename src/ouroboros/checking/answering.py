"""From a model and a question to a report: what is asked is read, searched for family by family, and answered."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from ouroboros.certificate.terms import Terms
from ouroboros.checking.options import Counting, Means, Options, counting, divided
from ouroboros.driver.certifying import Certifying
from ouroboros.driver.combinations import Combination, refuse
from ouroboros.driver.reducing import Reductions
from ouroboros.driver.run import Kernels, Run
from ouroboros.driver.searching import NoRoom, Resources, Sought, reach
from ouroboros.engine.limits import Limits, Observer
from ouroboros.engine.stores.choice import read_store
from ouroboros.errors import OutOfTime, UsageError
from ouroboros.languages import GrowingModel, Model
from ouroboros.process import peak_memory
from ouroboros.properties.asking import Asked, Question, ask
from ouroboros.properties.assertions import ASSERTIONS, deadlock_name, under
from ouroboros.properties.coverage import EverythingExecuted, coverage
from ouroboros.properties.fairness import NOTHING_SAID, FairnessOptions
from ouroboros.properties.formulas.ltl_file import read_source
from ouroboros.properties.kind import Property
from ouroboros.properties.states import StateProperty
from ouroboros.properties.table import BY_NAME, options
from ouroboros.system.model import ReductionKind
from ouroboros.verdict.report import Answer, Report, Saving, Search, Setting, Verdict

if TYPE_CHECKING:
    from ouroboros.checkpoint.keeper import Keeper
    from ouroboros.engine.team import Team
    from ouroboros.system.model import System


def check(model: Model, **options: Unpack[Options]) -> Report:
    """Check what is asked: `properties` chosen by name, `invariants`, which are expressions that must hold in every
    state, formulas of temporal logic in `ltl` and `ltl_files`, and `responses`, which are written `p ~> q`. Without
    any, what the model asks for.

    One search answers all that is asked of states; the `first` violation ends it, or else it goes on until each
    property has its answer; with `violations`, until it has seen all states, and each answer has up to so many. Each
    formula and each automaton
    of the model gets a search of its own, by the given `algorithm` or the one that suits it best. `before_search` is
    called when the question is accepted, before the engine is loaded, with the kinds of kernels that will be needed.
    `deadlock` is what a deadlock is, if not what the model's language says. With `symmetry`, of states that differ only
    by a permutation of alike values one is explored.

    Formulas, automata and responses speak of the runs that are fair: to all processes or actions with `fairness`, to
    those whose names match the patterns `weak` or `strong`, and to those that the model makes fair. With `stutter`, a
    run may stay in a state for ever; that is so for responses unless it is False.

    With `check_reductions`, the interpreter first tries in many states what reductions take for granted; where it does
    not hold, SelfCheckError is raised.

    Where all holds, the `certificate` is written, for which nothing is left out: there is no partial order reduction.

    A `keeper` saves the searches now and then, and goes on with those that it remembers.
    """
    asked, means = divided(options)
    question = _question(model, asked, means)
    resources = _resources(
        means.team, means.limits, means.observer, means.store, means.seed, means.strict, means.keeper
    )
    grown: list[int] = []
    while True:
        try:
            return _Attempt(model, question, means, resources, grown).report()
        except NoRoom as missing:
            means = replace(means, before_search=None)
            try:
                _grow(model, missing, means.keeper, resources.limits)
            except OutOfTime as end:
                return _Attempt(model, question, means, resources, grown).ended(end)
            grown.append(missing.site)


def _question(model: Model, asked: Mapping[str, Sequence[Any]], means: Means) -> Question:
    texts = {option.name: tuple(asked.get(option.name, ())) for option in options() if not option.file}
    files = {option.name: tuple(map(read_source, asked.get(option.name, ()))) for option in options() if option.file}
    question = Question(
        texts,
        files,
        FairnessOptions(means.fairness, tuple(means.weak), tuple(means.strong)),
        deadlocks=means.deadlock != "off",
        strict=means.strict,
    )
    if not means.safety:
        return question
    if texts[BY_NAME.name] or texts["ltl"] or files["ltl_files"]:
        raise UsageError("--safety chooses the properties: leave out --property and --ltl")
    return replace(question, texts={**texts, BY_NAME.name: (ASSERTIONS, deadlock_name(model.system))})


@dataclass(frozen=True)
class _Attempt:
    """A run that may end because the model's states have too little room."""

    model: Model
    question: Question
    means: Means
    resources: Resources
    grown: Sequence[int]
    """For what room was made before."""

    def report(self) -> Report:
        means = self.means
        with self.resources.limits.stage("reading what is asked"):
            asked = ask(self.model, self.question)
        combination = self._combination(asked)
        refuse(combination, (refusal for each in asked.properties for refusal in each.refusals))
        wanted = Reductions(frozenset(means.reductions), checked=means.check_reductions)
        if means.certificate is None:
            return self._searched(asked, combination, wanted)
        certifying = Certifying(means.certificate, self._terms(), self.resources.team.leads)
        try:
            report = self._searched(asked, combination, Reductions(frozenset()), certifying)
            certified = certifying.finished(report.answers)
            return replace(report, certificate=replace(certified, unreduced=bool(means.reductions)))
        finally:
            certifying.give_up()

    def ended(self, end: OutOfTime) -> Report:
        """Where there was no time for a search: nothing is known."""
        asked = ask(self.model, self.question)
        run = Run(self.model.system, self._combination(asked), self.resources, Reductions(frozenset()))
        return _report(run, _unanswered(asked.properties, end))

    def _combination(self, asked: Asked) -> Combination:
        means, sought = self.means, {each.looks_for for each in asked.properties}
        return Combination(
            algorithm=None if means.algorithm == "auto" else means.algorithm,
            order=means.order,
            edges=means.edges,
            store=self.resources.store,
            workers=self.resources.team.size,
            cycles="cycles" in sought,
            responses="fair cycles" in sought,
            fair=bool(asked.fairness),
            fairness_asked=self.question.fairness != NOTHING_SAID,
            stutter=means.stutter,
            symmetry=means.symmetry,
            first=means.first,
            violations=means.violations,
            inclusion=means.inclusion,
            non_zeno=means.non_zeno,
            timed=self.model.system.zone is not None,
            symmetric=self.model.abilities.alike,
            alike=self.model.system.symmetry,
            saved=means.keeper is not None,
            certified=means.certificate is not None,
            lasting=self.model.abilities.lasting,
        )

    def _terms(self) -> Terms:
        means, source = self.means, self.model.system.source
        assert means.certificate
        return Terms(
            model=source.name,
            sha256=source.sha256,
            overflow=means.certificate.overflow,
            definitions=means.certificate.definitions,
            settings=means.certificate.settings,
            texts=self.question.texts,
            files={name: [(file.name, file.text) for file in files] for name, files in self.question.files.items()},
            deadlock=means.deadlock,
            grown=self.grown,
        )

    def _searched(
        self, asked: Asked, combination: Combination, reductions: Reductions, certifying: Certifying | None = None
    ) -> Report:
        if self.means.before_search:
            self.means.before_search(_kernels(asked, combination))
        _grow_as_before(self.resources.keeper)
        # Reading expressions may have made it another system.
        system = under(self.model.system, self.means.deadlock)
        means = self.means
        run = Run(
            system, combination, self.resources, reductions, asked.fairness, certifying, means.first, means.violations
        )
        answers: list[Answer] = []
        for family, properties in asked.families:
            first = len(answers)
            try:
                for answer in family.answers(properties, run):
                    answers.append(answer)
            except OutOfTime as end:
                answers += _unanswered(properties[len(answers) - first :], end)
            if means.violations > 1 and not issubclass(family, StateProperty):
                answers[first:] = map(_only_one, answers[first:])
        return _report(run, answers)


def _only_one(answer: Answer) -> Answer:
    if answer.trace is None:
        return answer
    warning = "one violation is shown, for its search ends at the first: only properties of states have several"
    return replace(answer, warnings=(*answer.warnings, warning))


def explore(model: Model, **options: Unpack[Counting]) -> Report:
    """Visit every state, whatever is wrong with it, and count; with `symmetry`, one of each orbit; with `inclusion`, of
    zones inside of each other the largest.
    """
    means = counting(options)
    resources = _resources(
        means.team, means.limits, means.observer, means.store, means.seed, means.strict, means.keeper
    )
    combination = Combination(
        store=resources.store,
        symmetry=means.symmetry,
        inclusion=means.inclusion,
        timed=model.system.zone is not None,
        symmetric=model.abilities.alike,
        alike=model.system.symmetry,
        workers=resources.team.size,
        lasting=model.abilities.lasting,
        saved=means.keeper is not None,
    )
    refuse(combination)
    if means.before_search:
        means.before_search("states")
    wanted: frozenset[ReductionKind] = frozenset({"inclusion"} if means.inclusion else ())
    while True:
        run = Run(model.system, combination, resources, Reductions(wanted))
        try:
            _grow_as_before(means.keeper)
            sought = Sought(inclusion=run.reductions.includes(model.system, combination))
            search = reach(model.system, sought, resources, symmetry=means.symmetry).search
            break
        except NoRoom as missing:
            try:
                _grow(model, missing, means.keeper, resources.limits)
            except OutOfTime as end:
                search = Search.not_begun(end.doing)
                break
        except OutOfTime as end:
            search = Search.not_begun(end.doing)
            break
    run.covering = search
    answers = [
        Answer("every state is visited", Verdict.UNKNOWN if search.limit else Verdict.HOLDS, search, search.limit)
    ]
    if means.strict:
        answers.append(EverythingExecuted().answer(run))
    return _report(run, answers)


def _kernels(asked: Asked, combination: Combination) -> Kernels:
    if combination.responses or (combination.cycles and (asked.fairness or combination.stutter)):
        return "fair cycles"
    return "cycles" if combination.cycles else "states"


def _resources(
    team: Team | None,
    limits: Limits | None,
    observer: Observer | None,
    store: str,
    seed: int,
    strict: bool,
    keeper: Keeper | None,
) -> Resources:
    from ouroboros.engine.team import Team

    return Resources(team or Team(), limits or Limits(), read_store(store, seed), observer, strict, keeper)


def _unanswered(properties: Iterable[Property], end: OutOfTime) -> list[Answer]:
    search = Search.not_begun(end.doing)
    return [Answer(each.name, Verdict.UNKNOWN, search, search.limit) for each in properties]


def _grow(model: Model, missing: NoRoom, keeper: Keeper | None, limits: Limits) -> None:
    assert isinstance(model, GrowingModel)
    doing = "making room in the model for more than it had: it is compiled again"
    if limits.out_of_time:
        raise OutOfTime(doing)
    with limits.stage(doing):
        model.grow((missing.site,))
    if keeper:
        keeper.grow(missing.site)


def _grow_as_before(keeper: Keeper | None) -> None:
    """A model that had too little room before a checkpoint is to have as much as it had then."""
    site = keeper.growth() if keeper else None
    if site is not None:
        raise NoRoom(site)


def _report(run: Run, answers: Sequence[Answer]) -> Report:
    resources, team, store = run.resources, run.resources.team, run.resources.store
    keeper = resources.keeper
    answers = [_unless_omitted(answer, run.system) for answer in answers]
    return Report(
        model=run.system.source,
        answers=tuple(answers if store.misses_nothing else (_in_doubt(answer, resources) for answer in answers)),
        setting=Setting(
            store=str(store),
            seed=store.seed,
            exchange=team.exchange,
            workers=team.size,
            symmetry=run.combination.symmetry,
            reductions=tuple(sorted(run.reductions.used)),
            reductions_off=tuple(run.reductions.off),
        ),
        seconds=time.monotonic() - resources.limits.started,
        peak_bytes=max(resources.peaks, default=peak_memory()),
        coverage=coverage(run.system, run.covering),
        saving=Saving(str(keeper.directory.path), keeper.written, keeper.resumed, keeper.failure) if keeper else None,
        warnings=run.system.warnings,
        remarks=tuple(run.system.foreign.remarks()) if run.system.foreign else (),
    )


def _unless_omitted(answer: Answer, system: System) -> Answer:
    """What was not found is unknown where the model leaves steps out; where nobody noted them, wherever it may."""
    found = answer.verdict is Verdict.VIOLATED and answer.trace is not None
    if found or answer.certain or answer.verdict is Verdict.UNKNOWN:
        return answer
    fired = answer.search.statistics.fired
    left_out = [reason for action, reason in system.omissions.items() if fired is None or action in fired]
    return replace(answer, verdict=Verdict.UNKNOWN, reason="; ".join(left_out)) if left_out else answer


def _in_doubt(answer: Answer, resources: Resources) -> Answer:
    """What a missed state could have changed is unknown: strictly, and always where many are missed."""
    if answer.certain:
        return answer
    doubt = f"omission possible, with probability {answer.search.omission:.1e}"
    if answer.verdict is Verdict.HOLDS and resources.store.name == "bitstate":
        return replace(answer, verdict=Verdict.UNKNOWN, reason="bitstate")
    # That something is never reached is no finding, but the lack of one.
    unreached = answer.verdict is Verdict.VIOLATED and answer.trace is None
    if unreached or (answer.verdict is Verdict.HOLDS and resources.strict):
        return replace(answer, verdict=Verdict.UNKNOWN, reason=doubt)
    return answer
