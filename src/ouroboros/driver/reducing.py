"""When fewer states are enough: by which reductions a question may be answered, and why not by others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from ouroboros.driver.combinations import Combination
from ouroboros.errors import SelfCheckError
from ouroboros.reduce.kept import keep, kept
from ouroboros.reduce.lockstep import Lockstep
from ouroboros.reduce.referee import Broken, Referee
from ouroboros.reduce.smaller import smaller
from ouroboros.reduce.stubborn import Stubborn, StubbornTables
from ouroboros.system.expressions import Expression, fields_in
from ouroboros.system.model import REDUCTIONS, Proposition, Reduced, ReductionKind, System

_USELESS = "where it leaves out too little to pay, by a sample of the states"
_TOO_DEEP = "for code that is nested too deeply"
_COUNT_STEPS: frozenset[ReductionKind] = frozenset({"partial order", "merging"})


class Runs(NamedTuple):
    """What a property of runs allows to leave out."""

    propositions: Sequence[Proposition]
    """What it observes of states."""
    fair: bool
    """Whether it is about fair runs alone, or about runs that stutter."""
    counts: str | None
    """Why what counts steps may not be left out, if that is so."""


@dataclass
class Reductions:
    """Those that the user wants, and what became of them."""

    wanted: frozenset[ReductionKind] = REDUCTIONS
    used: set[ReductionKind] = field(default_factory=set)
    checked: bool = False
    """Whether the interpreter is to try what they take for granted."""
    off: dict[str, None] = field(default_factory=dict)
    """Why some were not used, each reason once."""
    _known: dict[System, Stubborn] = field(default_factory=dict)
    """The last system that was asked about."""
    _asked: tuple[System, object] = field(init=False)
    """The last question about stubborn sets."""

    def for_states(self, system: System, required: Iterable[Proposition], ends: bool = True) -> Reduced | None:
        """For states that are not as required, that fail, or, if that is asked, that runs may not end in."""
        return self._reduced(system, required, self.wanted, ends, runs=False)

    def for_runs(self, system: System, runs: Runs) -> Reduced | None:
        """For runs."""
        # A cycle comes back to the same values of all variables, read or not.
        kinds = self.wanted - {"unread variables"}
        if runs.fair:
            # Which of two independent steps comes first may decide what is enabled on the way, and so what is fair.
            self._switch_off(system, kinds - {"inclusion"}, "under fairness")
            return None
        if runs.counts:
            self._switch_off(system, kinds & _COUNT_STEPS, runs.counts)
            kinds -= _COUNT_STEPS
        return self._reduced(system, runs.propositions, kinds, ends=False, runs=True)

    def includes(self, system: System, combination: Combination, observed: Iterable[Proposition] = ()) -> bool:
        """Whether a state may be left out whose zone is inside of that of another one: where it is asked for states,
        and each thing that is observed is to be true of all valuations of a zone.
        """
        if not system.zone or "inclusion" not in self.wanted:
            return False
        reason = None
        if not combination.store.keeps_vectors:
            reason = f"with --store {combination.store.name}"
        elif combination.saved:
            reason = "with --checkpoint"
        elif combination.certified:
            reason = "with --certificate"
        elif any(item.timed for item in observed):
            reason = "where it is asked whether something is true of all valuations of a zone"
        if reason:
            self._switch_off(system, frozenset({"inclusion"}), reason)
            return False
        self.used.add("inclusion")
        return True

    def choices_for_states(
        self,
        system: System,
        observed: Iterable[Proposition],
        symmetry: bool,
        exact: bool,
        actions: Collection[int] = (),
    ) -> StubbornTables | None:
        """Which steps are enough in a state, for states that are not as required, that fail, or where a run ends; and,
        if they are told, for whether actions are ever made. Who keeps no states cannot review what was left out.
        """
        if "partial order" not in self.wanted or system.zone or system.foreign:
            return None
        if symmetry:
            self.off["no partial order with symmetry"] = None
            return None
        if not exact and actions:
            return None
        expressions = [item.expression for item in observed]
        return self._choices(system, expressions, sorted(actions), "states" if exact else "runs")

    def choices_for_runs(self, system: System, runs: Runs) -> StubbornTables | None:
        """Which steps are enough in a state, for runs."""
        if system.zone or system.foreign or "partial order" not in self.wanted or runs.fair or runs.counts:
            return None
        return self._choices(system, [item.expression for item in runs.propositions], [], "runs")

    def _choices(
        self, system: System, observed: Sequence[Expression], actions: Sequence[int], kind: Literal["states", "runs"]
    ) -> StubbornTables | None:
        """The tables, after a referee has found nothing wrong with them, if there is to be one."""

        def find() -> tuple[str | None, StubbornTables | None]:
            try:
                stubborn = self._stubborn(system)
                if not stubborn.is_of_use:
                    return stubborn.refusal, None
                tables = stubborn.for_states(observed, actions) if kind == "states" else stubborn.for_runs(observed)
            except RecursionError:
                return _TOO_DEEP, None
            if self.checked:
                refuse_broken(system, Referee(stubborn.facts, tables, observed).everywhere(MOST_TRIED))
            return None, tables if tables.allowed else None

        question = ("stubborn sets", kind, list(observed), list(actions))
        self._asked = system, question
        refusal, tables = find() if self.checked else kept(system, question, find)
        if refusal:
            self.off[f"no partial order {refusal}"] = None
        if tables:
            self.used.add("partial order")
        return tables

    def sampled(self, tables: StubbornTables, pays: bool) -> None:
        """The first states have shown whether the partial order that was asked for last is worth its time."""
        system, question = self._asked
        keep(system, question, (None, replace(tables, pays=True)) if pays else (_USELESS, None))
        if not pays:
            self.used.discard("partial order")
            self.off[f"no partial order {_USELESS}"] = None

    def _stubborn(self, system: System) -> Stubborn:
        if system not in self._known:
            self._known = {system: Stubborn(system)}
        return self._known[system]

    def _switch_off(self, system: System, kinds: frozenset[ReductionKind], reason: str) -> None:
        if kinds:
            self.off[f"no {', '.join(sorted(kinds))} {reason}"] = None

    def _reduced(
        self,
        system: System,
        propositions: Iterable[Proposition],
        kinds: frozenset[ReductionKind],
        ends: bool,
        runs: bool,
    ) -> Reduced | None:
        if system.foreign:
            self._switch_off(system, kinds - {"inclusion"}, "for nobody can look into the model's steps")
            return None
        if system.zone:
            # What else is enabled decides how long a step may wait.
            self._switch_off(system, kinds - {"inclusion"}, "with clocks")
            return None
        expressions = [item.expression for item in propositions]
        observed = frozenset(each for expression in expressions for each in fields_in(expression))
        # What a deadlock is makes no difference where nobody asks for any.
        whole = system if ends else replace(system, deadlock="stuck")
        named = [each for each in system.layout.fields if each in observed]
        question = ("smaller", named, sorted(kinds), runs)
        try:
            reduced = kept(whole, question, lambda: smaller(whole, observed, kinds, runs))
        except RecursionError:
            self._switch_off(system, kinds, _TOO_DEEP)
            return None
        if reduced is None:
            return None
        self.used |= reduced.kinds
        if self.checked:
            refuse_broken(system, Lockstep(system, reduced, expressions).broken(MOST_TRIED))
        return reduced._replace(system=replace(reduced.system, deadlock=system.deadlock))


MOST_TRIED = 20_000
"""States in which the interpreter tries what reductions take for granted."""


def refuse_broken(system: System, broken: Iterable[Broken]) -> None:
    """Raise SelfCheckError where a referee has found something."""
    for each in broken:
        raise SelfCheckError(f"a reduction relies on what does not hold: {each.told(system)}")
