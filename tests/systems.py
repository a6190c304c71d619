"""Random Systems for Hypothesis: every kind of field, expression, statement and choice, with failures among them."""

from __future__ import annotations

from random import Random
from typing import get_args

from hypothesis import strategies as st

from ouroboros.source import Source
from ouroboros.system.blocks import (
    Assert,
    Assign,
    Block,
    If,
    Leave,
    Require,
    Scope,
    SetElement,
    SetLocal,
    Statement,
    While,
)
from ouroboros.system.choices import Action, All, Choice, Do, First, Part, Switch, When
from ouroboros.system.expressions import (
    NO_SITE,
    TRUE,
    Binary,
    BinaryOperator,
    Call,
    Check,
    Conditional,
    Constant,
    Element,
    Evaluate,
    Expression,
    Local,
    LocalArray,
    Procedure,
    Read,
    Unary,
    UnaryOperator,
)
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.model import Exclusive, Failure, FailureKind, Proposition, System

CORNERS = sorted(
    {sign * (1 << bits) + step for bits in (0, 3, 5, 6, 8, 31, 32, 63) for sign in (1, -1) for step in (-1, 0, 1)}
)


@st.composite
def fields(draw: st.DrawFn, name: str) -> Field:
    bits = draw(st.sampled_from((1, 2, 3, 8, 8, 16, 31, 32, 33, 63, 64)) | st.integers(1, 64))
    signed = draw(st.booleans())
    length = draw(st.none() | st.none() | st.integers(1, 20))
    lowest = -(1 << bits - 1) if signed else 0
    values = st.integers(lowest, lowest + (1 << bits) - 1)
    elements = 1 if length is None else length
    initial = tuple(draw(st.lists(st.just(0) | values, min_size=elements, max_size=elements)))
    return Field(name, draw(st.sampled_from(("globals", "P", "Q"))), bits, signed, length, initial)


class _Pieces:
    """Draws the parts of one system; every place that can fail gets a site of its own."""

    def __init__(self, draw: st.DrawFn, fields: list[Field], locals_: int) -> None:
        self.draw = draw
        self.scalars = [item for item in fields if item.length is None]
        self.arrays = [item for item in fields if item.length is not None]
        self.locals = locals_
        self.local_arrays = [LocalArray(f"l{n}", n) for n in (1, 3)] if locals_ else []
        self.procedures: list[Procedure] = []
        self.pure = True
        """Whether what is drawn stands in a guard or a proposition, where nothing is assigned."""
        self.scopes: list[int] = []
        """Labels of the scopes around what is drawn."""
        self.labels = 0
        self.failures: list[Failure] = []

    def site(self, kind: FailureKind) -> int:
        self.failures.append(Failure(kind, f"{kind} {len(self.failures)}", None))
        return len(self.failures) - 1

    def one_of(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def expression(self, depth: int) -> Expression:
        leaves = ["constant", "scalar", "scalar"] + ["local"] * (self.locals > 0)
        inner = ["binary", "binary", "binary", "unary", "conditional", "element", "check"]
        inner += ["temporary", "evaluate"] * (self.locals > 0) + ["call"] * (len(self.procedures) > 0)
        match self.one_of(*leaves, *(inner if depth > 0 else ())):
            case "scalar" if self.scalars:
                return Read(self.draw(st.sampled_from(self.scalars)))
            case "local":
                return Local(self.draw(st.integers(0, self.locals - 1)))
            case "binary":
                operator = self.draw(st.sampled_from(get_args(BinaryOperator)))
                left, right = self.expression(depth - 1), self.expression(depth - 1)
                return Binary(operator, left, right, self.site("division") if operator in "/%" else NO_SITE)
            case "unary":
                return Unary(self.draw(st.sampled_from(get_args(UnaryOperator))), self.expression(depth - 1))
            case "conditional":
                return Conditional(*(self.expression(depth - 1) for _ in range(3)))
            case "element" if self.arrays:
                item = self.draw(st.sampled_from(self.arrays))
                return Read(item, self.index(item.elements, depth - 1), self.site("index"))
            case "check":
                low = self.draw(st.integers(-3, 5) | st.sampled_from((-(1 << 31), 0)))
                high = self.draw(st.integers(low, low + 9) | st.just((1 << 31) - 1))
                return Check(self.expression(depth - 1), low, high, self.site("range"))
            case "temporary":
                array = self.draw(st.sampled_from(self.local_arrays))
                return Element(array, self.index(array.length, depth - 1), self.site("index"))
            case "evaluate":
                return Evaluate(self.block(1, 2), self.expression(depth - 1))
            case "call":
                procedure = self.draw(st.sampled_from(self.procedures))
                arguments = tuple(self.expression(depth - 1) for _ in range(procedure.parameters))
                return Call(procedure, arguments, self.draw(st.integers(0, 3)), self.site("recursion"))
            case _:
                return Constant(self.draw(st.integers(-3, 10) | st.sampled_from(CORNERS)))

    def index(self, length: int, depth: int) -> Expression:
        match self.one_of("constant", "bounded", "any"):
            case "constant":
                return Constant(self.draw(st.integers(0, length - 1)))
            case "bounded":
                # In range for every value that is not negative.
                return Binary("%", self.expression(depth), Constant(length), self.site("division"))
            case _:
                return self.expression(depth)

    def block(self, depth: int, most: int = 3) -> Block:
        return tuple(self.statement(depth) for _ in range(self.draw(st.integers(0, most))))

    def statement(self, depth: int) -> Statement:
        kinds = ["require"] + ["scalar", "scalar", "element", "element", "assert"] * (not self.pure)
        kinds += ["local", "temporary"] * (self.locals > 0) + ["if", "while", "scope"] * (depth > 0)
        match self.one_of(*kinds, *["leave"] * (len(self.scopes) > 0)):
            case "temporary":
                array = self.draw(st.sampled_from(self.local_arrays))
                return SetElement(array, self.index(array.length, 1), self.expression(2), self.site("index"))
            case "scope":
                self.labels += 1
                label = self.labels
                self.scopes.append(label)
                body = self.block(depth - 1, 3)
                self.scopes.pop()
                return Scope(label, body)
            case "leave":
                return Leave(self.draw(st.sampled_from(self.scopes)))
            case "element" if self.arrays:
                item = self.draw(st.sampled_from(self.arrays))
                return Assign(item, self.index(item.elements, 1), self.expression(2), self.site("index"))
            case "local":
                return SetLocal(self.draw(st.integers(0, self.locals - 1)), self.expression(2))
            case "assert":
                return Assert(self.expression(2), self.site("assertion"))
            case "if":
                return If(self.expression(2), self.block(depth - 1, 2), self.block(depth - 1, 2))
            case "while":
                limit = self.draw(st.integers(0, 3))
                return While(self.expression(2), self.block(depth - 1, 2), limit, self.site("loop"))
            case "scalar" if self.scalars:
                return Assign(self.draw(st.sampled_from(self.scalars)), None, self.expression(2))
            case _:
                return Require(self.expression(2), self.site("assertion"))

    def action(self, name: str) -> Action:
        guard = self.draw(st.just(TRUE) | st.none()) or self.expression(3)
        self.pure = False
        effect = self.block(2, 4)
        self.pure = True
        return Action((Part("P", name, None),), effect, guard)

    def procedure(self) -> None:
        """A procedure that may call itself, and assigns nothing where guards may call it."""
        outside = self.locals
        parameters = self.draw(st.integers(0, 2))
        procedure = Procedure(f"p{len(self.procedures)}", parameters, locals=parameters + 1)
        self.procedures.append(procedure)
        self.locals = procedure.locals
        procedure.body = self.block(2, 3)
        procedure.result = self.expression(1)
        self.locals = outside

    def choice(self, actions: int, depth: int) -> Choice:
        match self.one_of("do", "do", *(("all", "all", "first", "switch", "when") if depth > 0 else ())):
            case "all":
                return All(self.choices(actions, depth))
            case "first":
                return First(self.choices(actions, depth))
            case "switch" if self.scalars:
                item = self.draw(st.sampled_from(self.scalars))
                labels = self.draw(st.lists(st.integers(-2, 3) | st.sampled_from(CORNERS), max_size=4))
                return Switch(item, tuple((label, self.choice(actions, depth - 1)) for label in labels))
            case "when":
                return When(self.expression(2), self.choice(actions, depth - 1))
            case _:
                return Do(self.draw(st.integers(0, actions - 1)))

    def choices(self, actions: int, depth: int) -> tuple[Choice, ...]:
        return tuple(self.choice(actions, depth - 1) for _ in range(self.draw(st.integers(0, 3))))


@st.composite
def systems(draw: st.DrawFn) -> System:
    """A random system; its `assertions` are random propositions."""
    layout = Layout(tuple(draw(fields(f"f{number}")) for number in range(draw(st.integers(1, 6)))))
    locals_ = draw(st.integers(0, 2))
    pieces = _Pieces(draw, list(layout.fields), locals_)
    if locals_ == 2:
        pieces.procedure()
    actions = tuple(pieces.action(f"a{number}") for number in range(draw(st.integers(1, 4))))
    # Every action has its chance, whatever the random tree leaves out.
    choices = All((*(Do(index) for index in range(len(actions))), pieces.choice(len(actions), 3)))
    flags = [item for item in pieces.scalars if item.bits <= 32]
    flag = draw(st.none() | st.sampled_from(flags)) if flags else None
    exclusive = Exclusive(flag, pieces.site("loop")) if flag else None
    propositions = tuple(Proposition(f"p{n}", pieces.expression(3)) for n in range(draw(st.integers(0, 4))))
    return System(
        name="random",
        language="none",
        source=Source("random", ""),
        layout=layout,
        initial=(layout.initial(),),
        actions=actions,
        choices=choices,
        failures=tuple(pieces.failures),
        evaluation_bits=draw(st.sampled_from((32, 64))),
        assertions=propositions,
        locals=locals_,
        exclusive=exclusive,
    )


def random_state(layout: Layout, random: Random) -> Vector:
    """A state with any values that the fields can hold, reachable or not; small and extreme ones are frequent."""
    words = [0] * layout.words
    for item in layout.fields:
        for index in range(item.elements):
            value = random.choice((0, 1, 2, 3, -1, random.getrandbits(3), 1 << item.bits - 1, random.getrandbits(64)))
            layout.write(words, item, index, value)
    return tuple(words)
