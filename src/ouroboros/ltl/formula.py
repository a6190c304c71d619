"""Formulas of linear temporal logic: immutable, shared trees.

Every node is hash-consed: building the same formula twice gives the same object, so that equality is identity and a
formula is a cheap key. Constructors keep what was written; only `ouroboros.ltl.rewrite` simplifies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from ouroboros.ltl.tokens import RESERVED


class _HashConsing(type):
    """Makes the constructor of a formula return the node that exists already, if there is one."""

    _nodes: ClassVar[WeakValueDictionary[tuple[Any, ...], Formula]] = WeakValueDictionary()

    def __call__(cls, *parts: Any) -> Any:
        key = (cls, *parts)
        node = _HashConsing._nodes.get(key)
        if node is None:
            node = _HashConsing._nodes[key] = super().__call__(*parts)
        return node


@dataclass(frozen=True, eq=False, repr=False)
class Formula(metaclass=_HashConsing):
    """A node of a formula; two formulas are equal if and only if they are the same object."""

    @property
    def operands(self) -> tuple[Formula, ...]:
        return ()

    def with_operands(self, *operands: Formula) -> Formula:
        """The same operator on other operands."""
        return type(self)(*operands)

    @property
    def size(self) -> int:
        """The number of nodes of the syntax tree."""
        return _size(self)

    @property
    def sort_key(self) -> tuple[int, bytes]:
        """Orders formulas in the same way in every process, whatever was built before."""
        return _size(self), _digest(self)

    def __str__(self) -> str:
        text: str | None = self.__dict__.get("_text")
        if text is None:
            text = self.__dict__["_text"] = self._print()
        return text

    def _print(self) -> str:
        # Every kind of formula has its own. An abstract class would need another metaclass than this one has.
        raise NotImplementedError

    __repr__ = __str__


def _size(formula: Formula) -> int:
    size: int | None = formula.__dict__.get("_size")
    if size is None:
        size = formula.__dict__["_size"] = 1 + sum(map(_size, formula.operands))
    return size


def _digest(formula: Formula) -> bytes:
    # Shared subformulas make a text exponentially longer than its formula; digests are not.
    digest: bytes | None = formula.__dict__.get("_digest")
    if digest is None:
        own = str(formula) if not formula.operands else type(formula).__name__
        content = own.encode("utf-8", "surrogatepass") + b"".join(map(_digest, formula.operands))
        digest = formula.__dict__["_digest"] = blake2b(content, digest_size=16).digest()
    return digest


@dataclass(frozen=True, eq=False, repr=False)
class Constant(Formula):
    value: bool

    def _print(self) -> str:
        return "true" if self.value else "false"

    def with_operands(self, *operands: Formula) -> Formula:
        return self


TRUE = Constant(True)
FALSE = Constant(False)


@dataclass(frozen=True, eq=False, repr=False)
class Atom(Formula):
    """A state predicate, known by its text: the name of a proposition or an expression of the model's language."""

    name: str

    def _print(self) -> str:
        if re.fullmatch(r"[^\W\d]\w*", self.name) and self.name not in RESERVED:
            return self.name
        return f'"{self.name}"' if '"' not in self.name else f"{{{self.name}}}"

    def with_operands(self, *operands: Formula) -> Formula:
        return self


@dataclass(frozen=True, eq=False, repr=False)
class _Unary(Formula):
    symbol: ClassVar[str]
    operand: Formula

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.operand,)

    def _print(self) -> str:
        space = " " if self.symbol.isalpha() else ""
        return f"{self.symbol}{space}{_grouped(self.operand)}"


class Not(_Unary):
    symbol = "!"


class Next(_Unary):
    symbol = "X"


class Finally(_Unary):
    symbol = "<>"


class Globally(_Unary):
    symbol = "[]"


@dataclass(frozen=True, eq=False, repr=False)
class _Binary(Formula):
    symbol: ClassVar[str]
    left: Formula
    right: Formula

    @property
    def operands(self) -> tuple[Formula, ...]:
        return (self.left, self.right)

    def _print(self) -> str:
        return f"{_grouped(self.left)} {self.symbol} {_grouped(self.right)}"


class Until(_Binary):
    """`left U right`: right holds at some time, and left until then."""

    symbol = "U"


class WeakUntil(_Binary):
    """`left W right`: as until, but right need never hold if left always does."""

    symbol = "W"


class Release(_Binary):
    """`left R right`: right holds up to and including the moment when left does; always, if left never does."""

    symbol = "R"


class StrongRelease(_Binary):
    """`left M right`: as release, and left does hold at some time."""

    symbol = "M"


class Implies(_Binary):
    symbol = "->"


class Equivalent(_Binary):
    symbol = "<->"


class Xor(_Binary):
    symbol = "^"


@dataclass(frozen=True, eq=False, repr=False, init=False)
class _Junction(Formula):
    """Conjunction or disjunction of any number of operands."""

    symbol: ClassVar[str]
    neutral: ClassVar[Formula]
    parts: tuple[Formula, ...]

    def __init__(self, *parts: Formula) -> None:
        object.__setattr__(self, "parts", parts)

    @property
    def operands(self) -> tuple[Formula, ...]:
        return self.parts

    def _print(self) -> str:
        if not self.parts:
            return str(self.neutral)
        return f" {self.symbol} ".join(map(_grouped, self.parts))


class And(_Junction):
    symbol = "&&"
    neutral = TRUE


class Or(_Junction):
    symbol = "||"
    neutral = FALSE


def _grouped(formula: Formula) -> str:
    return f"({formula})" if isinstance(formula, _Binary | _Junction) else str(formula)


def subformulas(formula: Formula) -> Iterator[Formula]:
    """Each distinct subformula once, operands before operators."""
    seen: set[Formula] = set()
    stack = [(formula, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((operand, False) for operand in reversed(node.operands))


def atoms_of(formula: Formula) -> tuple[str, ...]:
    """The texts of the atoms, in order of first appearance."""
    return tuple(node.name for node in subformulas(formula) if isinstance(node, Atom))


# The operator that negation makes of another.
DUAL: dict[type[Formula], type[Formula]] = {
    And: Or,
    Or: And,
    Next: Next,
    Finally: Globally,
    Globally: Finally,
    Until: Release,
    Release: Until,
    WeakUntil: StrongRelease,
    StrongRelease: WeakUntil,
}


def negation_normal_form(formula: Formula, negated: bool = False) -> Formula:
    """An equivalent formula (of the negation, if asked) with `!` before atoms only, and no `->`, `<->` or `^`."""
    known: dict[tuple[Formula, bool], Formula] = {}

    def normal(node: Formula, negated: bool) -> Formula:
        if (node, negated) not in known:
            known[node, negated] = rewrite(node, negated)
        return known[node, negated]

    def rewrite(node: Formula, negated: bool) -> Formula:
        match node:
            case Constant(value):
                return Constant(value != negated)
            case Atom():
                return Not(node) if negated else node
            case Not(operand):
                return normal(operand, not negated)
            case Implies(left, right) if negated:
                return And(normal(left, False), normal(right, True))
            case Implies(left, right):
                return Or(normal(left, True), normal(right, False))
            case Equivalent(left, right) | Xor(left, right):
                same = isinstance(node, Equivalent) != negated
                return Or(
                    And(normal(left, False), normal(right, not same)),
                    And(normal(left, True), normal(right, same)),
                )
        operator = DUAL[type(node)] if negated else type(node)
        return operator(*(normal(operand, negated) for operand in node.operands))

    return normal(formula, negated)
