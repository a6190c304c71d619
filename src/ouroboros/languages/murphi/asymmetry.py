"""Whether a model can be proven to treat all elements of a scalarset alike (Ip and Dill, 1996).

Types keep nearly everything apart: elements have no names and no order, and cannot be calculated with. What is left is
the order in which loops and quantifiers come to them. A loop is fine if its rounds can be made in any order, and a
quantifier if none of its parts can fail, for it stops at the first part that decides. What cannot be proven is objected
to, in the order of the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from ouroboros.languages.murphi.certain import CertainChecks
from ouroboros.languages.murphi.evaluation import Evaluation, SameAsFailing
from ouroboros.languages.murphi.facts import Bound, Facts, either
from ouroboros.languages.murphi.marks import (
    Addition,
    Group,
    Loop,
    Marks,
    Overwriting,
    Quantifier,
    Slot,
    holds_alike,
    is_marked,
)
from ouroboros.languages.murphi.places import MultisetNode
from ouroboros.languages.murphi.rounds import OrderMatters, Surroundings, confirm_independent, confirm_same_way_out
from ouroboros.source import Span
from ouroboros.system.blocks import (
    Assert,
    Assign,
    Block,
    Constrain,
    If,
    Leave,
    Print,
    Require,
    Reset,
    Scope,
    SetElement,
    SetLocal,
    Settle,
    Statement,
    While,
)
from ouroboros.system.building import Storage
from ouroboros.system.expressions import Call, Constant, Expression, Procedure
from ouroboros.system.layout import Field
from ouroboros.system.model import ASSUMPTIONS, System
from ouroboros.system.symmetry import Asymmetry


def asymmetry_of(system: System, marks: Marks) -> tuple[Asymmetry | None, frozenset[int]]:
    """The first objection, in the order of the text, to a system that was lowered with marks.

    And the labels of quantifiers in assertions of which all parts must be looked at, to see whether one fails.
    """
    walk = _Walk(system, marks)
    for action in system.actions:
        (part,) = action.parts
        walk.code(part.span, action.effect, action.guard)
    for item in system.covers:
        walk.code(item.span, (), item.expression)
    walk.completed = set()
    for item in system.assertions:
        walk.code(item.span, (), item.expression, "false")
    return _first(marks.objections), frozenset(walk.completed)


def asymmetry_of_proposition(system: System, marks: Marks, proposition: Expression, span: Span) -> Asymmetry | None:
    """The same of a proposition that must hold in every state of a system without marks."""
    _Walk(system, marks).code(span, (), proposition, "false")
    return _first(marks.objections)


def _first(objections: Sequence[Asymmetry]) -> Asymmetry | None:
    return min(objections, key=lambda item: item.span.start if item.span else -1, default=None)


class _Walk(Evaluation):
    """Goes through code in the order of its execution, with what is known at each point."""

    def __init__(self, system: System, marks: Marks) -> None:
        super().__init__(system, marks)
        self._certain = CertainChecks(marks, system.ranges)
        self._span: Span | None = None
        self._rest: list[Block] | None = []
        """What follows the block that is looked at, from the innermost on at the end."""
        self._reads: Counter[Storage] = Counter()
        """How often each temporary is read in the code that is looked at."""
        self._leaving: dict[int, Facts | None] = {}
        """What is known where a scope is left early."""
        self._slots: list[Slot] = []
        """What rounds of loops over multisets, around the code that is looked at, may call their own."""
        self._overwritten: list[Overwriting] = []
        """What is overwritten by that code, as a whole."""
        self._added_to: list[set[Storage]] = []
        """To what several rounds of a loop around that code add, for each loop whose rounds have no order."""
        self._procedures: set[tuple[Procedure, frozenset[MultisetNode], frozenset[MultisetNode]]] = set()
        self.completed: set[int] | None = None
        """The quantifiers that are fine if all of their parts are evaluated; None where they are not going to be."""

    def code(
        self, span: Span | None, effect: Block, guard: Expression, same_as_failing: SameAsFailing = "neither"
    ) -> None:
        """An action, or a proposition: no effect, and its condition in place of the guard."""
        if not is_marked((effect, guard)):
            return
        self._span = span
        self._reads = Counter(where.storage for where in self.reader.of(*effect).reads)
        self._reads += Counter(where.storage for where in self.reader.of_expression(guard).reads)
        self._rest = None
        facts, _ = self.expression(guard, Facts(), same_as_failing)
        self._rest = []
        self._block(effect, facts)

    def _object(self, message: str, span: Span | None) -> None:
        self.marks.object(message, span or self._span)

    @contextmanager
    def _judged(self) -> Iterator[Callable[[], tuple[bool, bool]]]:
        """Whether the code inside can fail, and whether it can be undone; both also count for what is around."""
        before = self.fails, self.assumes
        self.fails = self.assumes = False
        yield lambda: (self.fails, self.assumes)
        self.fails, self.assumes = self.fails or before[0], self.assumes or before[1]

    # Statements

    def _block(self, block: Block, facts: Facts | None) -> Facts | None:
        for number, statement in enumerate(block):
            if facts is None:
                # Nobody comes here.
                return None
            if self._rest is not None:
                self._rest.append(block[number + 1 :])
            facts = self._statement(statement, facts)
            if self._rest is not None:
                self._rest.pop()
        return facts

    def _statement(self, statement: Statement, facts: Facts) -> Facts | None:
        match statement:
            case SetLocal(slot, value):
                return self.value(value, facts).assign(slot, value)
            case Assign(item, at, value):
                self.confirm_slot(item, at, facts)
                facts = self.value(at, facts) if at is not None else facts
                return self.value(value, facts).forget((item,))
            case SetElement(array, at, value):
                self.confirm_slot(array, at, facts)
                return self.value(value, self.value(at, facts)).forget((array,))
            case If(condition, then, otherwise):
                holds, fails = self.expression(condition, facts)
                return either(self._block(then, holds), self._block(otherwise, fails))
            case While():
                return self._while(statement, facts)
            case Require(condition, site):
                return self._require(condition, site, facts)
            case Assert(condition):
                return self.value(condition, facts)
            case Scope(label) if label in self.marks.loops:
                return self._loop(self.marks.loops[label], statement, facts)
            case Scope(label, body) if label in self.marks.additions:
                return self._addition(self.marks.additions[label], body, facts)
            case Scope(label, body) if label in self.marks.overwritings:
                return self._overwriting(self.marks.overwritings[label], body, facts)
            case Scope(label) if label in self.marks.sortings:
                # Elements may be in other slots than before, whatever was known of them.
                return Facts()
            case Scope(label, body) if label in self.marks.slots:
                self._slots.append(self.marks.slots[label])
                after = self._block(body, facts)
                self._slots.pop()
                return after
            case Scope(label, body):
                after = self._block(body, facts)
                if label in self.marks.removals and after is not None:
                    after = replace(after, removed=after.removed | self.marks.removals[label])
                return either(after, self._leaving.pop(label)) if label in self._leaving else after
            case Leave(label):
                self._leaving[label] = either(self._leaving.get(label), facts)
                return None
            case Print():
                return facts
            case Constrain() | Reset() | Settle():
                raise AssertionError("Murphi has no clocks")

    def _while(self, statement: While, facts: Facts) -> Facts:
        effects = self.reader.of(statement)
        facts = facts.forget(write.where.storage for write in effects.writes)
        # It may be undone, shuffled and left in any round, so that it is gone through as if it came after itself.
        while True:
            inside, _ = self.expression(statement.condition, facts)
            if self._rest is not None:
                self._rest.append((statement,))
            after = self._block(statement.body, inside)
            if self._rest is not None:
                self._rest.pop()
            self.fails = True
            if after is None or (after.removed <= facts.removed and after.shuffled <= facts.shuffled):
                return facts
            facts = replace(facts, removed=facts.removed | after.removed, shuffled=facts.shuffled | after.shuffled)

    def _require(self, condition: Expression, site: int, facts: Facts) -> Facts | None:
        kind = self.system.failures[site].kind
        holds, _ = self.expression(condition, facts, "neither" if kind in ASSUMPTIONS else "false")
        if not (isinstance(condition, Constant) and condition.value):
            self.fails |= kind not in ASSUMPTIONS
            self.assumes |= kind in ASSUMPTIONS
        return None if isinstance(condition, Constant) and not condition.value else holds

    def _addition(self, addition: Addition, body: Block, facts: Facts) -> Facts:
        """To a multiset. It can fail, where that is full."""
        self.fails = True
        if addition.stores:
            facts = self._storing(body, facts)
            node = addition.multiset
            by_several = any(node.present.storage in each for each in self._added_to)
            if node in facts.removed if holds_alike(node) else by_several:
                facts = replace(facts, shuffled=facts.shuffled | {node})
        return facts.forget(write.where.storage for write in self.reader.of(*body).writes)

    def _storing(self, body: Block, facts: Facts) -> Facts:
        """Of what stores an element in an empty slot, only where that comes from matters."""
        for statement in body:
            match statement:
                case Scope(label, inner):
                    facts = self._overwriting(self.marks.overwritings[label], inner, facts, self._storing)
                case Assign(_, _, value) | SetElement(_, _, value):
                    facts = self.value(value, facts)
                case SetLocal(slot, value):
                    facts = self.value(value, facts).assign(slot, value)
        return facts

    def _overwriting(
        self,
        multisets: Sequence[Overwriting],
        body: Block,
        facts: Facts,
        walk: Callable[[Block, Facts], Facts | None] | None = None,
    ) -> Facts:
        """All slots of multisets are written, and all of others read, whatever their order is."""
        before = len(self._overwritten)
        self._overwritten += multisets
        after = (walk or self._block)(body, facts) or facts
        del self._overwritten[before:]
        after = replace(after, removed=after.removed | {target for target, _ in multisets})
        # The slots of plain values keep the order that they have in the other multiset.
        return after.shuffle(
            target for target, source in multisets if source and (holds_alike(target) or source in facts.shuffled)
        )

    def confirm_slot(self, storage: Storage, at: Expression | None, facts: Facts) -> None:
        for node in self.marks.elements.get(storage, set()) & facts.shuffled:
            where = self.reader.elements(storage, at)
            own = any(slot.multiset is node and self.reader.in_slot(where, slot) for slot in self._slots)
            if not own and not any(node in each for each in self._overwritten):
                self._object(
                    "an element of a multiset is used after others may have come to its slot: which ones depends on the"
                    " order of the elements of a scalarset",
                    None,
                )

    def evaluate(
        self, block: Block, result: Expression, facts: Facts, same: SameAsFailing
    ) -> tuple[Facts | None, Facts | None]:
        # What comes after it within the expression around is not known.
        rest, self._rest = self._rest, None
        after = self._block(block, facts)
        self._rest = rest
        return (facts, facts) if after is None else self.expression(result, after, same)

    # Loops and quantifiers

    def _loop(self, loop: Loop, statement: Scope, facts: Facts) -> Facts | None:
        rounds: list[Block] = []
        for each in statement.body:
            assert isinstance(each, Scope)
            rounds.append((each,) if each.label in self.marks.slots else each.body)
        groups = loop.groups
        if not groups and loop.multiset in facts.shuffled:
            groups = (tuple(range(len(rounds))),)
        if groups:
            self._added_to.append(self.reader.added_to_by_several(rounds))
            self._confirm_any_order(loop, groups, rounds, statement, facts)
        after = self._block(tuple(statement for body in rounds for statement in body), facts)
        if groups:
            self._added_to.pop()
        elif loop.multiset and after is not None and loop.multiset in after.shuffled:
            # Its own rounds have done that.
            return self._loop(loop, statement, replace(facts, shuffled=facts.shuffled | {loop.multiset}))
        return after

    def _confirm_any_order(
        self, loop: Loop, groups: Sequence[Group], rounds: Sequence[Block], statement: Scope, facts: Facts
    ) -> None:
        own = Counter(where.storage for where in self.reader.of(statement).reads)
        around = Surroundings(
            None if self._rest is None else tuple(reversed(self._rest)),
            frozenset(storage for storage, times in self._reads.items() if times > own[storage]),
        )
        written = [write.where.storage for write in self.reader.of(statement).writes]
        for group in groups:
            members = [rounds[number] for number in group]
            try:
                if any(self.reader.of(*body).leaves for body in members):
                    confirm_same_way_out(members, around, self.reader)
                    why = "one round may fail, and another one leave it before that"
                    self._confirm_never_fails(members, facts.forget(written), why)
                else:
                    confirm_independent(members, around, self.reader)
                    if any(write.how in ("and", "or") for body in members for write in self.reader.of(*body).writes):
                        why = "one round may fail, unless others make it needless to evaluate that"
                        self._confirm_never_fails(members, facts.forget(written), why)
                    self._confirm_fails_or_is_undone(members, facts.forget(written))
            except OrderMatters as found:
                self._object(f"the result of {loop.what} depends on the order of its rounds: {found.why}", loop.span)

    def _confirm_never_fails(self, rounds: Sequence[Block], facts: Facts, why: str) -> None:
        """Of a loop where a round may keep others from what they would do, and from failing so."""
        facts = facts.learn(self._certain.in_all_blocks(rounds, facts))
        for body in rounds:
            with self._judged() as judged:
                self._block(body, facts)
                fails = any(judged())
            if fails:
                raise OrderMatters(why)

    def _confirm_fails_or_is_undone(self, rounds: Sequence[Block], facts: Facts) -> None:
        """Every round is made, so that any failure is met in any order: but not before an assumption."""
        if not self._has_assumptions(rounds):
            return
        with self._judged() as judged:
            for body in rounds:
                self._block(body, facts)
            if all(judged()):
                raise OrderMatters("one round may fail, and another one have an assumption that is false")

    def _has_assumptions(self, rounds: Sequence[Block]) -> bool:
        waiting: list[object] = list(rounds)
        while waiting:
            part = waiting.pop()
            match part:
                case Require(_, site) if self.system.failures[site].kind in ASSUMPTIONS:
                    return True
                case Call():
                    return True
                case tuple():
                    waiting += part
        return False

    def quantifier(self, label: int, found: Quantifier, facts: Facts, same_as_failing: SameAsFailing) -> None:
        harmless = same_as_failing == ("false" if found.forall else "true")
        shared_by: dict[int, list[Bound]] = {}
        for group in found.groups:
            shared = self._certain.in_all((found.parts[number] for number in group), facts)
            shared_by |= dict.fromkeys(group, shared)
        for number, part in enumerate(found.parts):
            with self._judged() as judged:
                # A check that all parts make fails in the first one, whichever it is, or in none.
                known = facts.learn(shared_by.get(number, ()))
                self.expression(part, known, same_as_failing if harmless else "neither")
                fails = any(judged())
            self.fails |= bool(shared_by.get(number))
            if number not in shared_by:
                continue
            stops = f"`{'forall' if found.forall else 'exists'}` stops at the first element that decides"
            if fails and not harmless and self.completed is not None:
                self.completed.add(label)
            elif fails and not harmless:
                self._object(f"{stops}, and with another one the condition may fail: the order decides", found.span)
            if self._visible_writes(part):
                self._object(f"{stops}, and the condition changes variables: the order decides", found.span)

    def _visible_writes(self, part: Expression) -> bool:
        """Whether a part of a quantifier writes anything but temporaries of its own."""
        effects = self.reader.of_expression(part)
        own = Counter(where.storage for where in effects.reads)
        written = [write.where.storage for write in effects.writes]
        return any(isinstance(each, Field) or self._reads[each] > own[each] for each in written)

    def procedure(self, procedure: Procedure, facts: Facts) -> None:
        """One that calls itself, looked at once for what happened to multisets, whatever it is called with."""
        self.fails = self.assumes = True
        key = procedure, facts.removed, facts.shuffled
        if key in self._procedures:
            return
        self._procedures.add(key)
        kept = self._reads, self._rest, self._leaving, self.completed, self._slots, self._overwritten
        body = (*procedure.body, SetLocal(-1, procedure.result))
        self._reads = Counter(where.storage for where in self.reader.of(*body).reads)
        self._rest, self._leaving, self.completed, self._slots, self._overwritten = [], {}, None, [], []
        self._block(body, Facts(removed=facts.removed, shuffled=facts.shuffled))
        self._reads, self._rest, self._leaving, self.completed, self._slots, self._overwritten = kept
