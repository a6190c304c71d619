"""The reference interpreter at work on one step: statements, expressions, zones."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ouroboros.system import zones
from ouroboros.system.arithmetic import Arithmetic, ExecutionError
from ouroboros.system.blocks import (
    Assert,
    Assign,
    Block,
    Constrain,
    If,
    Inner,
    Leave,
    Limit,
    Print,
    Require,
    Reset,
    Scope,
    SetElement,
    SetLocal,
    Settle,
    Shown,
    While,
)
from ouroboros.system.expressions import (
    Binary,
    Call,
    Check,
    Conditional,
    Constant,
    Difference,
    Element,
    Escape,
    Evaluate,
    Expression,
    Local,
    LocalArray,
    Meets,
    Observed,
    Procedure,
    Read,
    Stuck,
    Unary,
    Unlimited,
)
from ouroboros.system.layout import Field, Vector, zone_size
from ouroboros.system.model import ASSUMPTIONS, System

_DEEPEST = 50_000


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Calls of the model within each other are calls within each other here, several for each."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class _Leaving(Exception):
    """On the way out of a scope."""

    def __init__(self, label: int) -> None:
        super().__init__(label)
        self.label = label


class Execution(Arithmetic):
    """One action at work on a copy of the state, or one expression being evaluated."""

    def __init__(self, system: System, words: list[int]) -> None:
        super().__init__(system.evaluation_bits)
        self.system = system
        self.layout = system.layout
        self.words = words
        self.locals = [0] * system.locals
        self.asserted: int | None = None
        """The site of the first assertion that was false."""
        self.arrays: dict[LocalArray, list[int]] = {}
        self.depth = 0
        """Calls of procedures within each other."""
        self.printed: list[str] = []
        self.within: list[tuple[Inner, Vector]] = []

    def observed(self, number: int) -> int:
        assert self.system.foreign
        return self.system.foreign.observe(tuple(self.words)) >> number & 1

    def run(self, block: Block) -> None:
        for statement in block:
            match statement:
                case Assign(item, index, value, site):
                    at = self.index(item, index, site)
                    self.layout.write(self.words, item, at, self.value(value))
                case SetLocal(slot, value):
                    self.locals[slot] = self.value(value)
                case SetElement(array, index, value, site):
                    at = self.checked(index, array.length, site)
                    self.array(array)[at] = self.value(value)
                case Scope(label, body):
                    try:
                        self.run(body)
                    except _Leaving as leaving:
                        if leaving.label != label:
                            raise
                case Leave(label):
                    raise _Leaving(label)
                case If(condition, then, otherwise):
                    self.run(then if self.value(condition) else otherwise)
                case While(condition, body, limit, site):
                    rounds = 0
                    remembered: object = None
                    while self.value(condition):
                        now = (self.words, self.locals, self.arrays)
                        # What comes back to where it was would go on until it has no rounds left (Brent, 1980).
                        if rounds == limit or now == remembered:
                            raise ExecutionError(site)
                        if rounds & (rounds - 1) == 0:
                            arrays = {array: list(values) for array, values in self.arrays.items()}
                            remembered = (list(self.words), list(self.locals), arrays)
                        rounds += 1
                        self.run(body)
                case Require(condition, site):
                    if not self.value(condition):
                        raise ExecutionError(site)
                case Assert(condition, site):
                    if not self.value(condition) and self.asserted is None:
                        self.asserted = site
                case Constrain(zone, difference, site):
                    matrix = self.zone(zone)
                    if not self.constrained(matrix, difference):
                        raise ExecutionError(site)
                    self.set_zone(zone, matrix)
                case Reset(zone, clock, value):
                    matrix = self.zone(zone)
                    self.reset(matrix, self.value(clock), self.value(value))
                    self.set_zone(zone, matrix)
                case Settle():
                    self.settle(statement)
                case Print(parts, inner):
                    if inner:
                        self.within.append((inner, tuple(self.words)))
                    self.printed += [part if isinstance(part, str) else self.shown(part) for part in parts]

    def zone(self, item: Field) -> zones.Matrix:
        """The bounds of a zone; the largest value of the field stands for no bound."""
        size = zone_size(item)
        most = (1 << (item.bits - 1)) - 1
        cells = [self.layout.read(self.words, item, index) for index in range(size * size)]
        bounds = [zones.INFINITY if cell == most else cell for cell in cells]
        return [bounds[start : start + size] for start in range(0, size * size, size)]

    def set_zone(self, item: Field, matrix: zones.Matrix) -> None:
        most = (1 << (item.bits - 1)) - 1
        for index, bound in enumerate(bound for row in matrix for bound in row):
            self.layout.write(self.words, item, index, min(bound, most))

    def constrained(self, matrix: zones.Matrix, difference: Difference) -> bool:
        row, column = self.value(difference.row), self.value(difference.column)
        return zones.constrain(matrix, row, column, zones.encoded(self.value(difference.bound), difference.strict))

    def reset(self, matrix: zones.Matrix, clock: int, value: int) -> None:
        zones.reset(matrix, clock, value)

    def settle(self, end: Settle) -> None:
        matrix = self.zone(end.zone)
        limits = self.limits(end.limits)
        if not all(zones.constrain(matrix, clock, 0, bound) for clock, bound in limits):
            raise ExecutionError(end.site)
        if self.value(end.delays):
            zones.elapse(matrix)
            for clock, bound in limits:
                zones.constrain(matrix, clock, 0, bound)
        lower, upper = (tuple(map(self.value, bounds)) for bounds in (end.lower, end.upper))
        zones.extrapolate(matrix, lower, upper)
        self.set_zone(end.zone, matrix)

    def stuck(self, question: Stuck) -> bool:
        return any(True for _ in self.stuck_parts(question))

    def stuck_parts(self, question: Stuck) -> list[zones.Matrix]:
        """The valuations that the question is about, as zones; where it is for a way out, all if there is one."""
        waiting = self.value(question.delays) != 0
        whole = self.zone(question.zone)
        if not all(self.constrained(whole, difference) for difference in question.constraints):
            return []
        left = [whole]
        source = self.limits(question.limits) if waiting else []
        for escape in question.escapes:
            box = self.box(escape, question, source)
            if box is None:
                continue
            if question.escaping:
                if zones.meets(whole, box, waiting):
                    return left
            else:
                left = [part for matrix in left for part in zones.without(matrix, box, waiting)]
        return [] if question.escaping else left

    def limits(self, limits: tuple[Limit, ...]) -> list[tuple[int, int]]:
        """The clocks that are limited now, and their bounds."""
        return [
            (self.value(limit.clock), zones.encoded(self.value(limit.bound), limit.strict))
            for limit in limits
            if self.value(limit.condition)
        ]

    def box(self, escape: Escape, question: Stuck, source: list[tuple[int, int]]) -> zones.Box | None:
        """The valuations that a step is for; None if there are none. A step that fails is possible."""
        copy = Execution(self.system, list(self.words))
        box = zones.Box(zone_size(question.zone))
        try:
            if not copy.value(escape.guard):
                return None
            copy.run(escape.effect)
            for clock, bound in source:
                box.bound(clock, 0, bound)
            for row, column, most, strict in escape.constraints:
                box.bound(copy.value(row), copy.value(column), zones.encoded(copy.value(most), strict))
            for clock, bound in copy.limits(question.limits):
                value = copy.array(escape.resets)[clock]
                if value == 0:
                    box.bound(clock, 0, bound)
                elif zones.encoded(value - 1, False) > bound:
                    return None
        except ExecutionError as error:
            if self.system.failures[error.site].kind in ASSUMPTIONS:
                return None
        return None if box.is_empty else box

    def shown(self, part: Shown) -> str:
        try:
            value = self.value(part.value)
        except ExecutionError:
            return "?"
        if 0 <= value < len(part.names):
            return part.names[value]
        match part.conversion:
            case "d":
                return str(value)
            case "c":
                return chr(value & 0xFF)
            case conversion:
                return format(value & (1 << self.bits) - 1, conversion.replace("u", "d"))

    def index(self, item: Field, index: Expression | None, site: int) -> int:
        return 0 if index is None else self.checked(index, item.elements, site)

    def checked(self, index: Expression, length: int, site: int) -> int:
        at = self.value(index)
        if not 0 <= at < length:
            raise ExecutionError(site)
        return at

    def array(self, array: LocalArray) -> list[int]:
        return self.arrays.setdefault(array, [0] * array.length)

    def call(self, call: Call) -> int:
        procedure = call.procedure
        values = [self.value(argument) for argument in call.arguments]
        if self.depth >= call.limit:
            raise ExecutionError(call.site)
        if self.depth == 0:
            with _deep_recursion():
                return self.enter(procedure, values)
        return self.enter(procedure, values)

    def enter(self, procedure: Procedure, values: list[int]) -> int:
        """Run a procedure on temporaries of its own."""
        frame = self.locals, self.arrays
        self.locals = [*values, *[0] * (procedure.locals - len(values))]
        self.arrays = {}
        self.depth += 1
        self.run(procedure.body)
        result = self.value(procedure.result)
        self.depth -= 1
        self.locals, self.arrays = frame
        return result

    def value(self, expression: Expression) -> int:
        match expression:
            case Constant(value):
                return self.wrap(value)
            case Read(item, index, site):
                return self.wrap(self.layout.read(self.words, item, self.index(item, index, site)))
            case Local(slot):
                return self.locals[slot]
            case Element(array, index, site):
                return self.array(array)[self.checked(index, array.length, site)]
            case Check(operand, low, high, site):
                value = self.value(operand)
                if not low <= value <= high:
                    raise ExecutionError(site)
                return value
            case Evaluate(block, result):
                self.run(block)
                return self.value(result)
            case Call():
                return self.call(expression)
            case Unary(operator, operand):
                return self.unary(operator, self.value(operand))
            case Binary("and", left, right):
                return int(self.value(left) != 0 and self.value(right) != 0)
            case Binary("or", left, right):
                return int(self.value(left) != 0 or self.value(right) != 0)
            case Binary(operator, left, right, site):
                return self.binary(operator, self.value(left), self.value(right), site)
            case Conditional(condition, then, otherwise):
                return self.value(then if self.value(condition) else otherwise)
            case Meets(zone, constraints):
                matrix = self.zone(zone)
                return int(all(self.constrained(matrix, difference) for difference in constraints))
            case Observed(number):
                return self.observed(number)
            case Unlimited(zone):
                return int(all(row[0] == zones.INFINITY for row in self.zone(zone)[1:]))
            case Stuck():
                return int(self.stuck(expression))
