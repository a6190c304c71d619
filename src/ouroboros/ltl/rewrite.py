"""Simplification of formulas in negation normal form: fewer operators make smaller automata.

The rules are those of Etessami and Holzmann (CONCUR 2000), Somenzi and Bloem (CAV 2000) and Babiak, Křetínský, Řehák
and Strejček (TACAS 2012). Only half of them are written down, for `&&`, `<>`, `U` and `W`: those for `||`, `[]`, `R`
and `M` are their duals, obtained by exchanging the operators (and leaving literals alone) before and after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ouroboros.ltl.diagrams import FALSE as NEVER
from ouroboros.ltl.diagrams import TRUE as EVER
from ouroboros.ltl.formula import (
    DUAL,
    FALSE,
    TRUE,
    And,
    Constant,
    Finally,
    Formula,
    Globally,
    Next,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    atoms_of,
)
from ouroboros.ltl.implication import Knowledge

# A boolean formula over more atoms may have too many prime cubes to list them.
_MOST_ATOMS = 8


def simplify(formula: Formula) -> Formula:
    """An equivalent formula, usually smaller; the argument and the result are in negation normal form."""
    return _Simplifier().simplify(formula)


class _Simplifier:
    def __init__(self) -> None:
        self._known = Knowledge()
        self._simple: dict[Formula, Formula] = {}
        self._duals: dict[Formula, Formula] = {TRUE: FALSE, FALSE: TRUE}

    def simplify(self, formula: Formula) -> Formula:
        equivalents = []
        current = formula
        while current not in self._simple:
            equivalents.append(current)
            if current.operands:
                current = self._flat(current.with_operands(*map(self.simplify, current.operands)))
            better = self._apply(current)
            # Should two rules undo each other's work, either result is good enough.
            if better is current or better in equivalents:
                self._simple[current] = current
                break
            current = better
        result = self._simple[current]
        self._simple.update(dict.fromkeys(equivalents, result))
        return result

    def _apply(self, formula: Formula) -> Formula:
        """One rule at the root, or the formula itself if there is none."""
        diagram = self._known.boolean(formula)
        if diagram is not None:
            if diagram in (NEVER, EVER):
                return TRUE if diagram == EVER else FALSE
            if len(atoms_of(formula)) > _MOST_ATOMS:
                return formula
            cubes = self._flat(self._known.as_cubes(diagram))
            return cubes if cubes.size < formula.size else formula
        match formula:
            case Next(operand):
                keep = not isinstance(operand, Constant) and not self._known.is_suspendable(operand)
                return formula if keep else operand
            case And() | Or() if (gathered := self._under_one_finally(formula)) is not formula:
                return gathered
            case And() | Finally() | Until() | WeakUntil():
                return self._rules(formula)
            case Or() | Globally() | Release() | StrongRelease():
                dual = self._dual(formula)
                better = self._rules(dual)
                return formula if better is dual else self._dual(better)
        return formula

    def _rules(self, formula: Formula) -> Formula:
        match formula:
            case And():
                return self._conjunction(formula)
            case Finally(operand):
                return self._finally(formula, operand)
            case Until(left, right):
                return self._until(formula, left, right)
            case WeakUntil(left, right):
                return self._weak_until(formula, left, right)
        raise AssertionError(f"no rules for {formula}")

    def _under_one_finally(self, formula: Formula) -> Formula:
        """Gathers parts under one `<>` where that changes nothing, so that the automaton waits for all in one state."""
        known = self._known
        movable = known.is_universal if isinstance(formula, And) else lambda part: True
        inside, outside, waiting = [], [], False
        for part in formula.operands:
            if isinstance(part, Finally) and movable(part.operand):
                inside.append(part.operand)
                waiting = True
            elif known.is_suspendable(part):
                inside.append(part)
            else:
                outside.append(part)
        if not waiting or len(inside) < 2:
            return formula
        return formula.with_operands(*outside, Finally(formula.with_operands(*inside)))

    def _dual(self, formula: Formula) -> Formula:
        if formula not in self._duals:
            operator = DUAL.get(type(formula))
            # A literal is its own dual: all atoms are exchanged with their negations, in all formulas at once.
            dual = self._flat(operator(*map(self._dual, formula.operands))) if operator else formula
            self._duals[formula] = dual
        return self._duals[formula]

    def _flat(self, formula: Formula) -> Formula:
        """Conjunctions and disjunctions without nesting, repetition or order."""
        if not isinstance(formula, And | Or):
            return formula
        operator = type(formula)
        parts: dict[Formula, None] = {}
        for operand in formula.operands:
            parts.update(dict.fromkeys(operand.operands if isinstance(operand, operator) else (operand,)))
        return _joined(operator, sorted(parts, key=lambda part: part.sort_key))

    def _finally(self, formula: Formula, operand: Formula) -> Formula:
        if self._known.is_eventual(operand):
            return operand
        match operand:
            case Next(inner):
                return Next(Finally(inner))
            case Until(_, goal):
                return Finally(goal)
            case StrongRelease(left, right):
                return Finally(And(left, right))
            case WeakUntil(left, right):
                return Finally(Or(Globally(left), right))
            case And():
                # What no prefix decides can wait outside.
                waiting, rest = _partition(operand.operands, self._known.is_suspendable)
                if waiting and not self._known.is_universal(And(*rest)):
                    return And(Finally(And(*rest)), *waiting)
            case Or():
                stripped = [self._sooner_or_later(part) for part in operand.operands]
                if stripped != list(operand.operands):
                    return Finally(Or(*stripped))
                for part in operand.operands:
                    if any(other is not part and self._known.implies(part, Finally(other)) for other in stripped):
                        return Finally(_without(operand, part))
            case Globally(And() as always):
                # In `<>[](a && X b)` and `<>[](a && []b)` the inner operator changes nothing.
                stripped = [part.operand if isinstance(part, Next | Globally) else part for part in always.operands]
                if stripped != list(always.operands):
                    return Finally(Globally(And(*stripped)))
        return formula

    def _sooner_or_later(self, part: Formula) -> Formula:
        """Drops an operator from one of the alternatives of `<>` that only says when."""
        match part:
            case Finally(inner):
                return inner
            case Next(inner) if self._known.is_universal(inner):
                return inner
        return part

    def _until(self, formula: Formula, left: Formula, right: Formula) -> Formula:
        known = self._known
        if known.is_eventual(right) or known.implies(left, right):
            return right
        if known.covers(left, right):
            return Finally(right)
        if isinstance(right, Or) and Globally(left) in right.operands:
            return WeakUntil(left, _without(right, Globally(left)))
        if isinstance(right, And) and left in right.operands:
            return StrongRelease(_without(right, left), left)
        return self._either_until(formula, left, right)

    def _weak_until(self, formula: Formula, left: Formula, right: Formula) -> Formula:
        known = self._known
        if known.covers(left, right):
            return TRUE
        if known.implies(left, right):
            return right
        if right is FALSE:
            return Globally(left)
        if known.is_universal(left):
            return Or(left, right)
        if isinstance(right, Or) and Globally(left) in right.operands:
            return WeakUntil(left, _without(right, Globally(left)))
        if isinstance(right, And) and left in right.operands:
            return Release(_without(right, left), left)
        return self._either_until(formula, left, right)

    def _either_until(self, formula: Formula, left: Formula, right: Formula) -> Formula:
        """Rules that are the same for `U` and `W`."""
        known = self._known
        if isinstance(left, Next):
            if isinstance(right, Next):
                return Next(formula.with_operands(left.operand, right.operand))
            released = StrongRelease if isinstance(formula, Until) else Release
            return Or(right, Next(released(right, left.operand)))
        if isinstance(right, Until | WeakUntil) and known.implies(left, right.left):
            if isinstance(formula, Until) or isinstance(right, WeakUntil):
                return right
            return WeakUntil(right.left, right.right) if left is right.left else formula
        # What holds before the goal is looked at only while the goal does not hold.
        match left:
            case Until(before, goal) | WeakUntil(before, goal) if known.implies(before, right):
                return formula.with_operands(goal, right)
            case Or():
                vain, rest = _partition(left.operands, lambda part: known.implies(part, right))
                if vain:
                    return formula.with_operands(Or(*rest), right)
            case And():
                certain, rest = _partition(left.operands, lambda part: known.covers(part, right))
                if certain:
                    return formula.with_operands(And(*rest), right)
        return formula

    def _conjunction(self, formula: Formula) -> Formula:
        parts = formula.operands
        for part in parts:
            if any(other is not part and self._known.implies(other, part) for other in parts):
                return _joined(And, [other for other in parts if other is not part])
        if FALSE in parts or any(self._known.excludes(left, right) for left in parts for right in parts):
            return FALSE
        for part in parts:
            # A choice that another part excludes is none.
            others = [other for other in parts if other is not part]
            choices = part.operands if isinstance(part, Or) else ()
            open_to = [choice for choice in choices if not any(self._known.excludes(other, choice) for other in others)]
            if len(open_to) < len(choices):
                return _joined(And, [*others, _joined(Or, open_to)])
        for index, left in enumerate(parts):
            for right in parts[index + 1 :]:
                merged = self._merge(left, right) or self._merge(right, left)
                if merged is not None:
                    return _joined(And, [*(part for part in parts if part not in (left, right)), merged])
        return self._gather_booleans(formula)

    def _merge(self, left: Formula, right: Formula) -> Formula | None:
        """One formula for the conjunction of two."""
        match left, right:
            case Globally(one), Globally(other):
                return Globally(And(one, other))
            case Finally(Globally(one)), Finally(Globally(other)):
                return Finally(Globally(And(one, other)))
            case Next(one), Next(other):
                return Next(And(one, other))
            case Finally(goal), WeakUntil(before, end) if goal is end:
                return Until(before, end)
            case Finally(goal), Release(end, always) if goal is end:
                return StrongRelease(end, always)
            case (Until(one, end), Until(other, goal) | WeakUntil(other, goal)) if end is goal:
                return Until(And(one, other), goal)
            case WeakUntil(one, end), WeakUntil(other, goal) if end is goal:
                return WeakUntil(And(one, other), goal)
            case (StrongRelease(end, one), StrongRelease(goal, other) | Release(goal, other)) if end is goal:
                return StrongRelease(goal, And(one, other))
            case Release(end, one), Release(goal, other) if end is goal:
                return Release(goal, And(one, other))
            case Finally(goal), Globally(Or() as always) if all(
                self._known.is_universal(part) or self._known.excludes(goal, part) for part in always.operands
            ):
                # From the goal on it is the universal parts that hold, and they need not be watched.
                return StrongRelease(goal, always)
            case now, Next(Globally(later)) if now is later:
                return Globally(now)
            case always, Or() if len(right.operands) == 2:
                # `b && (a || X(a R b))` is `a R b`, and the like.
                for now, later in (right.operands, reversed(right.operands)):
                    match later:
                        case Next(Release(end, same) | StrongRelease(end, same)) if end is now and same is always:
                            return later.operand
        return None

    def _gather_booleans(self, formula: Formula) -> Formula:
        """The parts without temporal operators, as one."""
        booleans, rest = _partition(formula.operands, lambda part: self._known.boolean(part) is not None)
        if len(booleans) > 1 and rest:
            gathered = self.simplify(And(*booleans))
            if gathered.size < And(*booleans).size:
                return And(gathered, *rest)
        return formula


def _joined(operator: type[Formula], parts: Iterable[Formula]) -> Formula:
    """The operator on the parts, without a node of its own for none or one of them."""
    kept = list(parts)
    if not kept:
        return TRUE if operator is And else FALSE
    return kept[0] if len(kept) == 1 else operator(*kept)


def _without(formula: Formula, part: Formula) -> Formula:
    return _joined(type(formula), [other for other in formula.operands if other is not part])


def _partition(parts: Iterable[Formula], test: Callable[[Formula], bool]) -> tuple[list[Formula], list[Formula]]:
    chosen: list[Formula] = []
    others: list[Formula] = []
    for part in parts:
        (chosen if test(part) else others).append(part)
    return chosen, others
