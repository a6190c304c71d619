"""The verdict of a model by the interpreter alone, and by the engine with each reduction: they must be the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

from ouroboros import check
from ouroboros.errors import InputError, OuroborosError, UsageError
from ouroboros.languages import GrowingModel, Model
from ouroboros.source import Source
from ouroboros.system.interpret import ExecutionError, evaluate, successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import ASSUMPTIONS, REDUCTIONS, Proposition, ReductionKind, System
from tests.peers.counting import TooLarge, ways
from tests.reduce.deadlocks import deadlock_states
from tests.reduce.random_enabledness import RandomModel

SUFFIXES = {"promela": "pml", "dve": "dve", "murphi": "m"}
MOST_STATES = 3000
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
        propositions = _propositions(model, invariants)
        found = _explore(model.system, propositions)
        if isinstance(found, Whole):
            return found
        assert isinstance(model, GrowingModel)
        model.grow(found)


def _propositions(model: Model, texts: Sequence[str]) -> list[Proposition]:
    while True:
        layout = model.system.layout
        found = [model.proposition(Source("asked", text)) for text in texts]
        if model.system.layout is layout:
            return found


def _explore(system: System, invariants: Sequence[Proposition]) -> Whole | set[int]:
    """All states, or the sites at which there was no room for one."""
    queue = list(dict.fromkeys(system.initial))
    seen = set(queue)
    failures: set[str] = set()
    deadlocks: set[Vector] = set()
    transitions = work = 0
    false = False
    for state in queue:
        work += ways(system, state, 400)
        if len(queue) > MOST_STATES or work > MOST_STEPS:
            raise TooLarge
        if not all(_holds(system, state, each) for each in system.assertions):
            failures.add("assertion")
        false = false or not all(_holds(system, state, each) for each in invariants)
        steps = successors(system, state)
        stutters = system.deadlock == "stuttering" and all(step.state == state for step in steps)
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
    return Whole(len(seen), transitions, frozenset(failures), frozenset(deadlocks), false)


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


def compare(model: RandomModel, language: str, chance: Callable[[int], bool] | None = None) -> Comparison:
    """Ask questions about states in several ways: in all of them, or in those that `chance` chooses."""
    result = Comparison()
    try:
        asked = load(model.text, language)
        whole = explore(asked, model.invariants)
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
        # Reading an invariant may make it another system: then it is not the one that other questions are about.
        loaded = asked if question.name == "invariants" else plain
        expected = result.verdicts[question.name] = whole.verdict(question.name)
        used: set[str] = set()
        found: dict[frozenset[ReductionKind], str] = {}
        if question.name != "ends" and chance and chance(2):
            continue
        found[REDUCTIONS] = judged(loaded, question, REDUCTIONS, used)
        if question.name == "ends" or chance is None or chance(8):
            found[frozenset()] = judged(loaded, question, (), set())
            # Partial order reduction has most to lose; the others take turns, those first that made a difference.
            for kind in sorted(REDUCTIONS):
                if chance is None or kind == "partial order" or chance(3 if kind in used else 9):
                    found[frozenset({kind})] = judged(loaded, question, (kind,), used)
        result.used |= used
        result.differences += [
            f"{question.name} {next(iter(question.options.values()))}: {expected} by the interpreter,"
            f" {verdict} by the engine with {told(kinds)}"
            for kinds, verdict in found.items()
            if verdict != expected
        ]
    result.differences += _other_deadlocks(asked.system)
    return result


def _other_deadlocks(system: System) -> Iterator[str]:
    """`system` has room for all of its states."""
    try:
        reduced = deadlock_states(system, reduced=True)
        whole = deadlock_states(system, reduced=False)
    except TooLarge:
        return
    except BROKEN as error:
        yield f"{type(error).__name__} in a stubborn set: {error}"
        return
    if reduced is not None and reduced != whole:
        yield f"{len(whole or ())} states without a step, with partial order reduction alone {len(reduced)}"


def told(kinds: frozenset[ReductionKind]) -> str:
    if kinds == REDUCTIONS:
        return "all reductions"
    return " and ".join(sorted(kinds)) or "no reduction"
