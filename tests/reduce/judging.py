"""The verdict of a model by the interpreter alone, and by the engine with each reduction: they must be the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

from ouroboros.checking import check
from ouroboros.driver import reducing
from ouroboros.errors import InputError, OuroborosError, UsageError
from ouroboros.languages import GrowingModel, Model
from ouroboros.reduce.referee import Referee
from ouroboros.source import Source
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.expressions import Expression, fields_in
from ouroboros.system.interpret import Step, evaluate, successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import ASSUMPTIONS, REDUCTIONS, Proposition, Reduced, ReductionKind, System
from tests.peers.counting import TooLarge, ways
from tests.reduce.random_enabledness import RandomModel

SUFFIXES = {"promela": "pml", "dve": "dve", "murphi": "m"}
StepsOf = Callable[[Vector], list[Step]]
MOST_STATES = 1500
MOST_STEPS = 20_000
BROKEN = (OuroborosError, ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What must never come out of a check."""


class Question(NamedTuple):
    name: str
    options: dict[str, Any]
    """What `check` is told."""


class Whole(NamedTuple):
    """All that a model does, by the interpreter."""

    states: int
    transitions: int
    failures: frozenset[str]
    """The kinds of what goes wrong, `assertion` for a predicate that the model asserts of all states."""
    deadlocks: frozenset[Vector]
    """States in which a run ends where it may not."""
    stuck: frozenset[Vector]
    """States without a step, also those in which a run may end."""
    false: bool
    """Whether one of the invariants is false somewhere."""

    def verdict(self, question: str) -> str:
        wrong = bool(self.failures - {"overflow"})
        match question:
            case "ends":
                wrong = wrong or bool(self.deadlocks) or "overflow" in self.failures
            case "invariants":
                wrong = wrong or self.false
        return "violated" if wrong else "holds"


@dataclass
class Comparison:
    """What became of a model."""

    verdicts: dict[str, str] = field(default_factory=dict)
    """On each question."""
    whole: Whole | None = None
    used: set[str] = field(default_factory=set)
    """The reductions that made a difference to some search."""
    differences: list[str] = field(default_factory=list)
    skipped: str | None = None
    """Why nothing was compared."""


def load(text: str, language: str) -> Model:
    front_end = import_module(f"ouroboros.languages.{language}")
    model: Model = front_end.load(Source(f"model.{SUFFIXES[language]}", text))
    return model


def questions(model: RandomModel, language: str) -> list[Question]:
    ends = "end-states" if language == "promela" else "deadlock"
    asked = [
        Question("ends", {"properties": ["assertions", ends]}),
        Question("assertions", {"properties": ["assertions"]}),
    ]
    if model.invariants:
        asked.append(Question("invariants", {"invariants": list(model.invariants)}))
    return asked


def explore(model: Model, invariants: Sequence[str] = ()) -> Whole:
    """Visit all states of a model; raises TooLarge."""
    while True:
        found = visit(model.system, read(model, invariants))
        if isinstance(found, Whole):
            return found
        assert isinstance(model, GrowingModel)
        model.grow(found)


def read(model: Model, texts: Sequence[str]) -> list[Proposition]:
    """Expressions over the states of a model, which this may make another system."""
    while True:
        layout = model.system.layout
        found = [model.proposition(Source("asked", text)) for text in texts]
        if model.system.layout is layout:
            return found


def visit(system: System, invariants: Sequence[Proposition] = (), steps_of: StepsOf | None = None) -> Whole | set[int]:
    """All states, by all steps or by those that are chosen; or the sites at which there was no room for one."""
    queue = list(dict.fromkeys(system.initial))
    seen = set(queue)
    failures: set[str] = set()
    deadlocks: set[Vector] = set()
    stuck: set[Vector] = set()
    transitions = work = 0
    false = False
    for state in queue:
        work += ways(system, state, 400)
        if len(queue) > MOST_STATES or work > MOST_STEPS:
            raise TooLarge
        if not all(_holds(system, state, each) for each in system.assertions):
            failures.add("assertion")
        false = false or not all(_holds(system, state, each) for each in invariants)
        steps = steps_of(state) if steps_of else successors(system, state)
        stutters = system.deadlock == "stuttering" and all(step.state == state for step in steps)
        if not steps:
            stuck.add(state)
        if (not steps or stutters) and not _may_end(system, state):
            deadlocks.add(state)
        missing: set[int] = set()
        for step in steps:
            transitions += 1
            for each in (*step.before, step):
                if each.failure is not None:
                    kind = system.failures[each.failure].kind
                    if kind == "room":
                        missing.add(each.failure)
                    elif kind not in ASSUMPTIONS:
                        failures.add(kind)
            if step.state is not None and step.state not in seen:
                seen.add(step.state)
                queue.append(step.state)
        if missing:
            return missing
    return Whole(len(seen), transitions, frozenset(failures), frozenset(deadlocks), frozenset(stuck), false)


def _holds(system: System, state: Vector, proposition: Proposition) -> bool:
    """What cannot be evaluated does not hold."""
    try:
        return evaluate(system, state, proposition.expression) != 0
    except ExecutionError:
        return False


def _may_end(system: System, state: Vector) -> bool:
    return system.valid_end is not None and evaluate(system, state, system.valid_end) != 0


def judged(model: Model, question: Question, reductions: Collection[Any], used: set[str]) -> str:
    """The engine's verdict. Whatever it cannot confirm is a difference like any other."""
    try:
        report = check(model, reductions=frozenset(reductions), **question.options)
    except (InputError, UsageError) as error:
        return f"refused: {error}"
    except BROKEN as error:
        return f"{type(error).__name__}: {error}"
    used |= set(report.setting.reductions)
    return str(report.verdict.value)


def compare(
    model: RandomModel, language: str, chance: Callable[[int], bool] | None = None, thoroughly: bool = False
) -> Comparison:
    """Ask questions about states in several ways: in all of them, or in those that `chance` chooses. The interpreter
    tries each reduction; whether a run ends, the engine is asked with each of them, too, if that is to be thorough.
    """
    result = Comparison()
    try:
        plain = asked = load(model.text, language)
        first = asked.system
        if model.invariants:
            read(asked, model.invariants)
        whole = explore(asked, model.invariants)
        if asked.system.choices is not first.choices:
            # Reading an invariant has made it another system, or it had to grow: the engine is to find that out itself.
            plain = load(model.text, language)
    except TooLarge:
        result.skipped = "too large"
        return result
    except (InputError, UsageError) as error:
        result.skipped = f"refused: {str(error).splitlines()[0]}"
        return result
    except BROKEN as error:
        result.differences.append(f"{type(error).__name__} without the engine: {error}")
        return result
    result.whole = whole
    for question in questions(model, language):
        loaded = asked if question.name == "invariants" else plain
        expected = result.verdicts[question.name] = whole.verdict(question.name)
        if question.name != "ends" and chance and chance(2):
            continue
        used: set[str] = set()
        watched = Watched.of(loaded, model.invariants if question.name == "invariants" else ())
        thorough = chance is None or (question.name == "ends" and thoroughly)
        found = {
            f"engine with {told(kinds)}": judged(loaded, question, kinds, used)
            for kinds in _tried(watched, question.name, None if thorough else chance)
        }
        if question.name != "assertions":
            try:
                found |= reduced_verdicts(Watched.of(asked, watched.texts), question.name)
            except BROKEN as error:
                found["interpreter with reductions"] = f"{type(error).__name__}: {error}"
        result.used |= used
        result.differences += [
            f"{question.name} {next(iter(question.options.values()))}: {expected} by the interpreter,"
            f" {verdict} by the {way}"
            for way, verdict in found.items()
            if verdict != expected
        ]
    result.differences += _other_deadlocks(asked.system, whole)
    return result


class Watched(NamedTuple):
    """A system, and what is observed of it."""

    texts: Sequence[str]
    system: System
    invariants: Sequence[Proposition]

    @staticmethod
    def of(model: Model, invariants: Sequence[str]) -> Watched:
        propositions = read(model, invariants)
        return Watched(invariants, model.system, propositions)

    @property
    def expressions(self) -> list[Expression]:
        return [each.expression for each in (*self.system.assertions, *self.invariants)]

    def smaller(self, kinds: frozenset[ReductionKind]) -> Reduced | None:
        covers = [each.expression for each in self.system.covers]
        observed = frozenset(item for each in (*self.expressions, *covers) for item in fields_in(each))
        return reducing.smaller(self.system, observed, kinds)


def _tried(watched: Watched, question: str, chance: Callable[[int], bool] | None) -> Iterator[frozenset[ReductionKind]]:
    """All reductions together, each that makes a difference alone, and none. Partial order has most to lose; the others
    take turns where not all are wanted.
    """
    yield REDUCTIONS
    if question != "ends" and chance and not chance(8):
        return
    yield frozenset({"partial order"})
    yield frozenset()
    alone = [frozenset({kind}) for kind in sorted(REDUCTIONS - {"partial order"})]
    of_use = [kinds for kinds in alone if watched.smaller(kinds)]
    if chance is None or len(of_use) < 2:
        yield from of_use
    else:
        yield of_use[0] if chance(len(of_use)) else of_use[1] if len(of_use) == 2 or chance(2) else of_use[2]


def reduced_verdicts(watched: Watched, question: str) -> dict[str, str]:
    """The verdict by the interpreter, of the system with each reduction and with all of them."""
    found: dict[str, str] = {}
    stuck = watched.system.deadlock == "stuck"
    for kinds in (*(frozenset({kind}) for kind in sorted(REDUCTIONS)), REDUCTIONS):
        reduced = watched.smaller(kinds)
        now = reduced.system if reduced else watched.system
        steps_of = _chosen(now, watched.expressions) if "partial order" in kinds and stuck else None
        if reduced or steps_of:
            seen = visit(now, watched.invariants, steps_of)
            assert isinstance(seen, Whole)
            found[f"interpreter with {told(kinds)}"] = seen.verdict(question)
    return found


def _chosen(system: System, observed: Sequence[Expression] | None) -> StepsOf | None:
    """The steps of a state that a stubborn set has; where something is observed, none is left out for ever."""
    stubborn = reducing.Stubborn(system)
    if not stubborn.is_of_use:
        return None
    tables = stubborn.for_states(()) if observed is None else stubborn.for_runs(observed)
    chosen = Referee(stubborn.facts, tables).chosen

    def steps_of(state: Vector) -> list[Step]:
        steps = successors(system, state)
        # Where one fails, nothing is left out: it may lead nowhere.
        return steps if any(step.state is None for step in steps) else chosen(state)

    return steps_of


def _other_deadlocks(system: System, whole: Whole) -> Iterator[str]:
    """`system` has room for all of its states."""
    try:
        steps_of = _chosen(system, None)
        reduced = visit(system, (), steps_of) if steps_of else whole
    except BROKEN as error:
        yield f"{type(error).__name__} in a stubborn set: {error}"
        return
    assert isinstance(reduced, Whole)
    if reduced.stuck != whole.stuck:
        yield f"{len(whole.stuck)} states without a step, with partial order reduction alone {len(reduced.stuck)}"


def told(kinds: frozenset[ReductionKind]) -> str:
    if kinds == REDUCTIONS:
        return "all reductions"
    return " and ".join(sorted(kinds)) or "no reduction"
