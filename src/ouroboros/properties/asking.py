"""From what the user chose to properties: those that he asks for, or those that the model does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ouroboros.errors import UsageError
from ouroboros.languages import FairModel, Model
from ouroboros.properties.assertions import deadlock_name
from ouroboros.properties.brought import brought_by
from ouroboros.properties.fairness import NOTHING_SAID, FairnessOptions, fair_actions
from ouroboros.properties.kind import Known, Property
from ouroboros.properties.table import BY_NAME, KINDS
from ouroboros.source import Source
from ouroboros.system.fairness import Fairness
from ouroboros.system.model import Proposition, System


@dataclass(frozen=True)
class Question:
    """What the user says, by the names of options."""

    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    files: Mapping[str, Sequence[Source]] = field(default_factory=dict)
    fairness: FairnessOptions = NOTHING_SAID
    deadlocks: bool = True
    """Whether there is such a thing as a deadlock."""
    strict: bool = False
    """Whether what is never executed is a failure."""

    @property
    def chosen(self) -> bool:
        """Whether it is not left to the model what to ask."""
        return any(self.texts.values()) or any(self.files.values())


class Fair(NamedTuple):
    """Which runs count."""

    actions: Fairness
    """Only those that are fair to these."""
    conditions: tuple[Proposition, ...] = ()
    """Only those on which these hold infinitely often."""


@dataclass
class Asking:
    """What a kind is to read."""

    model: Model
    question: Question
    names: frozenset[str]
    """Of the properties that were chosen, or that the model asks for."""
    of_states: bool = False
    """Whether any of those that were read is about states, or nothing was chosen."""

    @property
    def system(self) -> System:
        return self.model.system

    def texts(self, option: str) -> Iterable[str]:
        """What an option was given, each text once."""
        return dict.fromkeys(self.question.texts.get(option, ()))

    def files(self, option: str) -> Sequence[Source]:
        return self.question.files.get(option, ())


@dataclass(frozen=True)
class Asked:
    """The properties of a run, in the order of their answers."""

    properties: tuple[Property, ...]
    fairness: Fairness = ()
    """Of the runs that some of them speak of."""

    @property
    def families(self) -> list[tuple[type[Property], list[Property]]]:
        """Those that are answered together."""
        found: dict[type[Property], list[Property]] = {}
        for each in self.properties:
            found.setdefault(each.family, []).append(each)
        return list(found.items())


def described_properties(system: System) -> dict[str, str]:
    """What `--property` can choose, and what each says."""
    return {known.name: known.meaning for known in _known(system)}


def asked_without_choice(system: System) -> frozenset[str]:
    """Which of them the model asks for itself."""
    known = _known(system)
    first = any(each.asked == "first" for each in known)
    return frozenset(
        each.name for each in known if each.asked in ("first", "also") or (each.asked == "otherwise" and not first)
    )


def ask(model: Model, question: Question) -> Asked:
    """Resolve what the user chose; without a choice, what the model asks for."""
    conditions = _conditions(model, question)
    while True:
        layout = model.system.layout
        asked = _ask(model, question, conditions)
        if model.system.layout is layout:
            return asked


def _ask(model: Model, question: Question, conditions: tuple[Proposition, ...]) -> Asked:
    asking = Asking(model, question, _names(model.system, question))
    read = [tuple(kind.read(asking)) for kind in KINDS]
    asking.of_states = not question.chosen or any(each.of_states for group in read for each in group)
    fair = Fair(fair_actions(model.system, NOTHING_SAID if conditions else question.fairness), conditions)
    # What comes along is made of a system that has seen all expressions.
    found = [each for kind, group in zip(KINDS, read, strict=True) for each in (*kind.along(asking), *group)]
    asked_for = [each for group in read for each in group]
    if any(not each.of_states for each in asked_for):
        found = _without_idle(found, asked_for)
    return Asked(tuple(sorted((each.under(fair) for each in found), key=_place)), fair.actions)


def _without_idle(found: list[Property], asked_for: list[Property]) -> list[Property]:
    """Without families that cannot find anything, and that nobody has asked for: there are others."""
    busy = {each.family for each in found if not each.idle or each in asked_for}
    return [each for each in found if each.family in busy]


def _place(each: Property) -> int:
    return next(place for place, kind in enumerate(KINDS) if isinstance(each, kind.makes))


def _known(system: System) -> list[Known]:
    return [known for kind in KINDS for known in kind.known(system)]


def _names(system: System, question: Question) -> frozenset[str]:
    """The properties that were chosen by name, or those that are asked for if nothing is."""
    known = _known(system)
    chosen = question.texts.get(BY_NAME.name, ())
    names = list(dict.fromkeys(each.name for each in known))
    clashes = brought_by(system).clashes
    for name in chosen:
        if name not in names and name in clashes:
            raise UsageError(f"several properties are called {name}: choose {' or '.join(clashes[name])}")
        if name not in names:
            raise UsageError(
                f"{system.source.name} has no property {name}: choose from {', '.join(names)},"
                " or give a state predicate with --invariant, a formula with --ltl"
            )
    ends = deadlock_name(system)
    if question.chosen:
        if ends in chosen and not question.deadlocks:
            raise UsageError(f"--property {ends} asks for what --deadlock off leaves out")
        return frozenset(chosen)
    asked = asked_without_choice(system)
    return asked if question.deadlocks else asked - {ends}


def _conditions(model: Model, question: Question) -> tuple[Proposition, ...]:
    """What must hold again and again, where the fairness that was asked for can be said like that: then every algorithm
    can look for a cycle.
    """
    by_actions = (option.name for kind in KINDS if kind.fair_by_actions for option in kind.options)
    if question.fairness != FairnessOptions("weak") or not isinstance(model, FairModel):
        return ()
    return () if any(question.texts.get(name) for name in by_actions) else model.fair()
