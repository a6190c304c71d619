"""Symmetry that is examined when it is asked for: the rules are lowered once more, with marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple, TypeVar, cast

from ouroboros.languages.murphi.asymmetry import asymmetry_of
from ouroboros.languages.murphi.code import joined
from ouroboros.languages.murphi.expand import Instance
from ouroboros.languages.murphi.lower_rules import RuleLowering
from ouroboros.languages.murphi.marks import Marks
from ouroboros.source import Span
from ouroboros.system.blocks import Scope, SetLocal
from ouroboros.system.expressions import Evaluate, Expression, Local
from ouroboros.system.model import Failure, Proposition, System
from ouroboros.system.symmetry import Asymmetry, Symmetry

Part = TypeVar("Part")


class _Examination(NamedTuple):
    asymmetry: Asymmetry | None
    assertions: tuple[Proposition, ...]
    """Those of the system, where quantifiers fail if any of their parts does, whichever comes first."""
    failures: tuple[Failure, ...]
    """The places where these assertions fail, after those of the system."""
    locals: int


def examined(
    symmetry: Symmetry,
    system: System,
    rules: Sequence[Instance],
    assumptions: Sequence[Instance],
    expanded: Sequence[Instance],
) -> Symmetry:
    """The symmetry of a system that was lowered from rules and properties; it is examined when it is first used.

    Startstates are left out. From a permuted state a run goes on as permuted, so that it does not matter in which of
    the states that differ only by a permutation it begins.
    """

    @cache
    def examination() -> _Examination:
        marks = Marks()
        failures = list(system.failures)
        lowering = RuleLowering(failures, marks=marks)
        try:
            marked = replace(
                system,
                actions=tuple(lowering.action(instance, assumptions) for instance in rules),
                assertions=lowering.propositions(expanded, "invariant"),
                covers=lowering.propositions(expanded, "cover"),
            )
            asymmetry, completed = asymmetry_of(replace(marked, failures=tuple(failures)), marks)
        except RecursionError:
            too_deep = Asymmetry("this is nested too deeply to see whether it is symmetric", Span(system.source, 0, 0))
            return _Examination(too_deep, (), (), 0)
        completion = _Completion(marks, completed, lowering.slots)
        assertions = tuple(
            item._replace(expression=completion.of(other.expression)) if completion.concerns(other.expression) else item
            for item, other in zip(system.assertions, marked.assertions, strict=True)
        )
        return _Examination(asymmetry, assertions, tuple(failures[len(system.failures) :]), completion.slots)

    def complete(asked: System) -> System:
        found = examination()
        if all(item is other for item, other in zip(found.assertions, system.assertions, strict=True)):
            return asked
        return replace(
            asked,
            assertions=found.assertions,
            # Where an assertion fails nobody asks for the place: enough that there is one.
            failures=(*asked.failures, *found.failures),
            locals=max(asked.locals, found.locals),
        )

    return replace(symmetry, asymmetry=lambda: examination().asymmetry, complete=complete)


class _Completion:
    """Writes expressions again, so that some quantifiers evaluate all of their parts before they decide."""

    def __init__(self, marks: Marks, labels: frozenset[int], slots: int) -> None:
        self._marks = marks
        self._labels = labels
        self.slots = slots
        """Temporaries that are in use."""

    def concerns(self, part: object) -> bool:
        """Whether there is such a quantifier in it."""
        match part:
            case Evaluate((Scope(label, ()),), _) if label in self._marks.quantifiers:
                inside = (self.concerns(each) for each in self._marks.quantifiers[label].parts)
                return label in self._labels or any(inside)
            case tuple():
                return any(self.concerns(each) for each in part)
        return False

    def of(self, part: Part) -> Part:
        match part:
            case Evaluate((Scope(label, ()),), _) if label in self._marks.quantifiers:
                return cast("Part", self._quantifier(label))
            case tuple() if hasattr(part, "_make"):
                return cast("Part", part._make(self.of(each) for each in part))
            case tuple():
                return cast("Part", tuple(self.of(each) for each in part))
        return part

    def _quantifier(self, label: int) -> Expression:
        found = self._marks.quantifiers[label]
        operator = "and" if found.forall else "or"
        parts = [self.of(part) for part in found.parts]
        if label not in self._labels:
            return joined(operator, parts)
        first = self.slots
        self.slots += len(parts)
        values = [Local(first + number) for number in range(len(parts))]
        block = tuple(SetLocal(value.slot, part) for value, part in zip(values, parts, strict=True))
        return Evaluate(block, joined(operator, values))
