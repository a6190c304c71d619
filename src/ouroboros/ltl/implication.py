"""Facts about formulas that their shape shows: what is eventual, what is universal, and what implies what.

Formulas are in negation normal form. A formula is *eventual* if it holds of a word whenever it holds of a suffix, and
*universal* if it holds of all suffixes of a word of which it holds (Etessami and Holzmann, CONCUR 2000). The rules for
implication are those of Somenzi and Bloem (CAV 2000) and their like for `W` and `M`; they are sound and incomplete.
"""

from __future__ import annotations

from ouroboros.ltl.diagrams import FALSE as NEVER
from ouroboros.ltl.diagrams import TRUE as EVER
from ouroboros.ltl.diagrams import Diagrams
from ouroboros.ltl.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Constant,
    Finally,
    Formula,
    Globally,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    negation_normal_form,
)

# Larger pairs are not compared: it would take long, and more stack than there is.
_LARGEST = 150


class Knowledge:
    """What is known about the formulas of one translation, each question answered once."""

    def __init__(self) -> None:
        self.diagrams = Diagrams()
        self._variables: dict[str, int] = {}
        self._boolean: dict[Formula, int | None] = {}
        self._eventual: dict[Formula, bool] = {}
        self._negation: dict[Formula, Formula] = {}
        self._implies: dict[tuple[Formula, Formula], bool] = {}

    def negation(self, formula: Formula) -> Formula:
        if formula not in self._negation:
            negation = negation_normal_form(formula, negated=True)
            self._negation[formula] = negation
            self._negation[negation] = formula
        return self._negation[formula]

    def boolean(self, formula: Formula) -> int | None:
        """The diagram of a formula without temporal operators, None for one with."""
        if formula not in self._boolean:
            self._boolean[formula] = self._diagram(formula)
        return self._boolean[formula]

    def _diagram(self, formula: Formula) -> int | None:
        match formula:
            case Constant(value):
                return EVER if value else NEVER
            case Atom(name):
                return self.diagrams.variable(self._variables.setdefault(name, len(self._variables)))
            case Not() | And() | Or():
                parts: list[int] = []
                for operand in formula.operands:
                    part = self.boolean(operand)
                    if part is None:
                        return None
                    parts.append(part)
                if isinstance(formula, Not):
                    return self.diagrams.negation(parts[0])
                return self.diagrams.all_of(parts) if isinstance(formula, And) else self.diagrams.any_of(parts)
        return None

    def as_cubes(self, diagram: int) -> Formula:
        """A boolean formula, rebuilt from its diagram as a sum of prime cubes."""
        names = {variable: name for name, variable in self._variables.items()}
        terms = []
        for cube in self.diagrams.cover(diagram):
            literals = [
                Atom(names[variable]) if cube.value >> variable & 1 else Not(Atom(names[variable]))
                for variable in range(cube.mask.bit_length())
                if cube.mask >> variable & 1
            ]
            terms.append(And(*literals) if len(literals) > 1 else literals[0] if literals else TRUE)
        return Or(*terms) if len(terms) > 1 else terms[0] if terms else FALSE

    def is_eventual(self, formula: Formula) -> bool:
        if formula not in self._eventual:
            self._eventual[formula] = self._decide_eventual(formula)
        return self._eventual[formula]

    def _decide_eventual(self, formula: Formula) -> bool:
        match formula:
            case Constant() | Finally():
                return True
            case Until(_, right) | Release(_, right) | StrongRelease(_, right):
                return self.is_eventual(right)
            case And() | Or() | Next() | Globally() | WeakUntil():
                return all(map(self.is_eventual, formula.operands))
        return False

    def is_universal(self, formula: Formula) -> bool:
        return self.is_eventual(self.negation(formula))

    def is_suspendable(self, formula: Formula) -> bool:
        """Whether the formula depends on no finite prefix of the word, as `[]<>p`."""
        return self.is_eventual(formula) and self.is_universal(formula)

    def implies(self, stronger: Formula, weaker: Formula) -> bool:
        if stronger is weaker or stronger is FALSE or weaker is TRUE:
            return True
        if stronger.size + weaker.size > _LARGEST:
            return False
        key = (stronger, weaker)
        if key not in self._implies:
            self._implies[key] = self._decide_implies(stronger, weaker)
        return self._implies[key]

    def excludes(self, left: Formula, right: Formula) -> bool:
        """Whether the two cannot hold together."""
        return self.implies(left, self.negation(right))

    def covers(self, left: Formula, right: Formula) -> bool:
        """Whether one of the two always holds."""
        return self.implies(self.negation(left), right)

    def _decide_implies(self, stronger: Formula, weaker: Formula) -> bool:
        implies = self.implies
        left, right = self.boolean(stronger), self.boolean(weaker)
        if left is not None and right is not None:
            return self.diagrams.implies(left, right)
        if isinstance(stronger, Or):
            return all(implies(part, weaker) for part in stronger.operands)
        if isinstance(weaker, And):
            return all(implies(stronger, part) for part in weaker.operands)
        return (
            (isinstance(stronger, And) and any(implies(part, weaker) for part in stronger.operands))
            or (isinstance(weaker, Or) and any(implies(stronger, part) for part in weaker.operands))
            or self._follows_from_now(stronger, weaker)
            or self._leads_to(stronger, weaker)
            or self._step_by_step(stronger, weaker)
        )

    def _follows_from_now(self, stronger: Formula, weaker: Formula) -> bool:
        """Uses what the stronger one says of this moment, or of some moment if the weaker one can wait for it."""
        implies = self.implies
        match stronger:
            case Globally(always):
                if implies(always, weaker):
                    return True
            case Until(before, goal) | WeakUntil(before, goal):
                if implies(before, weaker) and implies(goal, weaker):
                    return True
            case Release(_, always) | StrongRelease(_, always):
                if implies(always, weaker):
                    return True
        if not self.is_eventual(weaker):
            return False
        match stronger:
            case Finally(goal) | Next(goal) | Until(_, goal) | StrongRelease(goal, _):
                return implies(goal, weaker)
        return False

    def _leads_to(self, stronger: Formula, weaker: Formula) -> bool:
        """The weaker one is fulfilled at once, or forever."""
        implies = self.implies
        universal = self.is_universal(stronger)
        match weaker:
            case Finally(goal) | Until(_, goal):
                return implies(stronger, goal)
            case Globally(always) | Next(always):
                return universal and implies(stronger, always)
            case WeakUntil(before, goal):
                return implies(stronger, goal) or (universal and implies(stronger, before))
            case Release(released, always):
                return implies(stronger, always) and (universal or implies(stronger, released))
            case StrongRelease(released, always):
                return implies(stronger, always) and implies(stronger, released)
        return False

    def _step_by_step(self, stronger: Formula, weaker: Formula) -> bool:
        """Both wait, and what holds meanwhile and at the end of the one implies the same of the other."""
        implies = self.implies
        if isinstance(stronger, Next) and isinstance(weaker, Next):
            return implies(stronger.operand, weaker.operand)
        # `a R b` is `b W (a && b)`; `a M b` is `b U (a && b)`.
        match stronger:
            case Until(before, goal) | WeakUntil(before, goal):
                goals = [goal]
            case Release(goal, before) | StrongRelease(goal, before):
                goals = [goal, before]
            case _:
                return False
        match weaker:
            case Until(meanwhile, end) | WeakUntil(meanwhile, end):
                ends = [end]
            case Release(end, meanwhile) | StrongRelease(end, meanwhile):
                ends = [end, meanwhile]
            case _:
                return False
        if isinstance(weaker, Until | StrongRelease) and not isinstance(stronger, Until | StrongRelease):
            return False
        return implies(before, meanwhile) and all(any(implies(goal, end) for goal in goals) for end in ends)
