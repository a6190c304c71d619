"""Random models as texts: a class with processes and actions, whose values mostly stay within their types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st

CLASS = """
class Colour(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


@dataclass
class Cell:
    n: Int[0, 3] = 0
    on: bool = False


@dataclass(frozen=True)
class Message:
    who: Int[0, 1]
    what: Colour = Colour.RED


class M(Model):
    x: Int[0, 3] = 0
    y: Int[-3, 3] = 1
    b: bool = False
    c: Colour = Colour.RED
    a: Array[Int[0, 3], 3]
    q: Seq[Int[0, 3], 2]
    cells: Array[Cell, 2]
    last: Message | None = None
    post: Channel[Message, 2]
    s: Set[Int[0, 2]]
    m: Map[Int[0, 2], bool]

    def twice(self, n):
        return n * 2

    def find(self, n):
        for i, e in enumerate(self.a):
            if e == n:
                return i
        return -1

    def bump(self):
        self.x = (self.x + 1) % 4
        return self.x
"""

NUMBERS = (
    "self.x",
    "self.y",
    "len(self.q)",
    "self.cells[0].n",
    "sum(self.a)",
    "max(self.a)",
    "len(self.s)",
    "self.a[-1]",
)
EFFECTS = ("self.bump()", "self.q.pop()", "self.post.receive().who")


def one(draw: st.DrawFn, options: Sequence[str]) -> str:
    return draw(st.sampled_from(options))


@dataclass
class Scope:
    """Which variables there are, and what may stand where we are."""

    names: tuple[str, ...] = ()
    process: bool = False
    loop: bool = False
    depth: int = 0
    fresh: list[int] = field(default_factory=lambda: [0])

    def within(self, *names: str, loop: bool | None = None) -> Scope:
        again = self.loop if loop is None else loop
        return Scope((*self.names, *names), self.process, again, self.depth + 1, self.fresh)

    def new(self) -> str:
        self.fresh[0] += 1
        return f"v{self.fresh[0]}"


@st.composite
def numbers(draw: st.DrawFn, scope: Scope, depth: int = 2) -> str:
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        plain = [*NUMBERS, *scope.names, *map(str, range(-2, 4))]
        return one(draw, plain if draw(st.integers(0, 5)) else [*plain, *EFFECTS])
    inner = numbers(scope, depth - 1)
    match draw(st.integers(0, 9)):
        case 0 | 1 | 2:
            return f"({draw(inner)} {one(draw, ['+', '-', '*'])} {draw(inner)})"
        case 3:
            return f"({draw(inner)} {one(draw, ['//', '%'])} {one(draw, ['2', '-3', 'self.y'])})"
        case 4:
            return f"({draw(inner)} {one(draw, ['&', '|', '^'])} {draw(inner)})"
        case 5:
            return f"({draw(inner)} if {draw(conditions(scope, depth - 1))} else {draw(inner)})"
        case 6:
            return f"{one(draw, ['abs', '-', '~', 'self.twice', 'self.find'])}({draw(inner)})"
        case 7:
            return f"{one(draw, ['min', 'max'])}({draw(inner)}, {draw(inner)})"
        case 8:
            return f"self.a[{draw(inner)} % 3]"
        case _:
            test = one(draw, ["e > 1", "e % 2 == 0", "e != self.x", "self.m.get(e, False)"])
            return f"sum({one(draw, ['1', 'e', 'e * 2', '3 // e'])} for e in self.a if {test})"


@st.composite
def conditions(draw: st.DrawFn, scope: Scope, depth: int = 2) -> str:
    kind = draw(st.integers(0, 9)) if depth else draw(st.integers(0, 4))
    match kind:
        case 0:
            return "self.b"
        case 1:
            return f"self.c {one(draw, ['==', '!=', 'is'])} Colour.{one(draw, ['RED', 'GREEN'])}"
        case 2:
            return draw(
                st.sampled_from(["self.q", "self.s", "self.last is None", "self.post.full", "self.cells[1].on"])
            )
        case 3:
            return f"{draw(numbers(scope, 0))} in {one(draw, ['self.s', 'self.m', 'self.a', '(0, 2)', 'range(3)'])}"
        case 4 | 5:
            sign = st.sampled_from(["<", "<=", "==", "!=", ">"])
            parts = [draw(numbers(scope, min(depth, 1)))]
            for _ in range(draw(st.integers(1, 2))):
                parts += [draw(sign), draw(numbers(scope, min(depth, 1)))]
            return " ".join(parts)
        case 6:
            return f"not ({draw(conditions(scope, depth - 1))})"
        case 7 | 8:
            inner = [f"({draw(conditions(scope, depth - 1))})" for _ in range(draw(st.integers(2, 3)))]
            return f" {one(draw, ['and', 'or'])} ".join(inner)
        case _:
            test = one(draw, ["e == 1", "6 // e > 2", "self.a[e - 1] > e", "e in self.s"])
            return f"{one(draw, ['any', 'all'])}({test} for e in {one(draw, ['self.a', 'self.q'])})"


@st.composite
def assignments(draw: st.DrawFn, scope: Scope) -> list[str]:
    number = draw(numbers(scope))
    match draw(st.integers(0, 19)):
        case 0 | 1:
            return [f"self.x = ({number}) % 4"]
        case 2:
            return [f"self.y = ({number}) % 7 - 3"]
        case 3:
            return [f"self.x {one(draw, ['+', '-'])}= {one(draw, ['1', number])}"]
        case 4:
            return [f"self.b = {draw(conditions(scope))}".replace("= self.q", "= bool(self.q)")]
        case 5:
            return [f"self.a[{number} % 3] = {draw(numbers(scope, 1))} % 4"]
        case 6:
            return [f"self.a[{draw(numbers(scope, 0))}] = ({number}) % 4"]
        case 7:
            # Python tells that a list is too long at the end of the step, and nothing if it is shorter again by then;
            # a compiled model, which has no room for it, at once. With the assertion both tell it here.
            return [f"self.q.append(({number}) % 4)", "assert len(self.q) <= 2"]
        case 8:
            return [f"self.x = self.q.pop({one(draw, ['', '0', '-1', 'self.x'])})"]
        case 9:
            return [
                f"self.cells[({number}) % 2].n = self.x",
                f"self.cells[self.x % 2].on = {draw(conditions(scope, 1))}",
            ]
        case 10:
            return [f"self.cells[{draw(st.integers(0, 1))}] = Cell(({number}) % 4)"]
        case 11:
            who = one(draw, ["0", "1", "self.x % 2"])
            message = one(draw, [f"Message({who})", f"Message({who}, self.c)", "self.last"])
            if message == "self.last":
                return ["if self.last is not None:", "    self.post.send(self.last)"]
            return [one(draw, [f"self.post.send({message})", f"self.last = {message}"])]
        case 12:
            return ["self.last = self.post.receive()"] if draw(st.booleans()) else ["self.last = None"]
        case 13:
            return [f"self.s.{one(draw, ['add', 'discard', 'remove'])}(({number}) % 3)"]
        case 14:
            key = f"({number}) % 3"
            return [
                draw(
                    st.sampled_from(
                        [f"self.m[{key}] = self.b", f"self.b = self.m.get({key}, True)", f"del self.m[{key}]"]
                    )
                )
            ]
        case 15 if not scope.loop:
            options = one(draw, ["range(3)", "[1, 3]", "self.s", "self.a", "range(self.x + 1)"])
            return [f"self.x = choose({options}) % 4"]
        case 16:
            return [
                draw(
                    st.sampled_from(
                        ["self.c = Colour.GREEN", "self.c = choose(Colour)", "self.a[0], self.x = self.x, self.a[0]"]
                    )
                )
            ]
        case 17:
            bounds = one(draw, ["1:", ":1", ":", "self.x:", "0:1", "-1:", f"{draw(numbers(scope, 0))}:"])
            new = one(draw, ["[self.x]", "[]", "self.q[:1]", "[e for e in self.a if e > 1]", "self.a[:2]"])
            return [f"self.q[{bounds}] = {new}", "assert len(self.q) <= 2"]
        case 18:
            return [
                draw(
                    st.sampled_from(
                        [
                            "self.q = self.q[1:] + [self.x]",
                            f"self.q = [e for e in self.a if e != {draw(numbers(scope, 0))}]",
                            "self.a = self.a[1:] + self.a[:1]",
                            f"self.a[:2] = [self.x, ({number}) % 4]",
                            "self.a = self.a[::-1]",
                        ]
                    )
                )
            ]
        case _:
            return (
                [f"assert {draw(conditions(scope, 1))}"]
                if draw(st.booleans())
                else [f"require({draw(conditions(scope, 1))})"]
            )


@st.composite
def statements(draw: st.DrawFn, scope: Scope, most: int = 3) -> list[str]:
    found: list[str] = []
    for _ in range(draw(st.integers(1, most))):
        kind = draw(st.integers(0, 13))
        if scope.depth > 2 or kind < 7:
            found += draw(assignments(scope))
        elif kind == 7:
            name = scope.new()
            found.append(f"{name}: Int[-40, 40] = min(40, max(-40, {draw(numbers(scope))}))")
            scope.names = (*scope.names, name)
        elif kind == 8 and scope.process:
            label = f"l{scope.fresh[0]}"
            scope.new()
            until = f", until({draw(conditions(scope, 1))})".replace("self.bump()", "1").replace("self.q.pop()", "1")
            until = until.replace("self.post.receive().who", "1")
            if any(sign in until for sign in ("/", "%", "[", "max", "min", "next")):
                # Where a condition fails, Python fails at the `yield`, and a compiled model when the process goes on.
                until = ""
            found.append(f'yield "{label}"{until if draw(st.integers(0, 2)) == 0 else ""}')
        else:
            found += draw(compounds(scope, kind))
    return found


@st.composite
def compounds(draw: st.DrawFn, scope: Scope, kind: int) -> list[str]:
    def indented(inner: Scope) -> list[str]:
        return ["    " + line for line in draw(statements(inner, 2))]

    name = scope.new()
    leaves = one(draw, ["break", "continue", "return"])
    left = [f"    if {draw(conditions(scope, 1))}:", f"        {leaves}"] if draw(st.booleans()) else []
    otherwise = ["else:", *indented(scope.within())] if draw(st.integers(0, 2)) == 0 else []
    match kind:
        case 9:
            over = draw(
                st.sampled_from(["self.a", "self.q", "range(2)", "range(self.x)", "reversed(self.a)", "(0, 2, 1)"])
            )
            if scope.process and over not in ("(0, 2, 1)", "range(2)"):
                over = "range(2)"
            return [f"for {name} in {over}:", *indented(scope.within(name, loop=True)), *left, *otherwise]
        case 10 if not scope.process:
            test = draw(conditions(scope, 1))
            body = indented(scope.within(name, loop=True))
            return [f"{name} = 0", f"while {name} < 3 and ({test}):", f"    {name} += 1", *body, *left, *otherwise]
        case 11:
            subject = one(draw, ["self.x", "(self.x, self.b)", "self.c", "self.last"])
            patterns = {
                "self.x": ["0", "1 | 2", f"{name} if {name} > 1", "_"],
                "(self.x, self.b)": ["(0, True)", f"({name}, False)", f"({name}, _)"],
                "self.c": ["Colour.RED", "Colour.GREEN | Colour.BLUE"],
                "self.last": ["None", f"Message(who={name})", "Message(1, what=Colour.RED)"],
            }
            lines = [f"match {subject}:"]
            for pattern in patterns[subject][: draw(st.integers(1, 4))]:
                inner = scope.within(*([name] if name in pattern else []))
                lines += [f"    case {pattern}:", *("    " + line for line in indented(inner))]
            return lines
    lines = [f"if {draw(conditions(scope))}:", *indented(scope.within())]
    if draw(st.booleans()):
        lines += [f"elif {draw(conditions(scope, 1))}:", *indented(scope.within())]
    return [*lines, *otherwise]


@st.composite
def models(draw: st.DrawFn) -> str:
    """The text of a model with one to three actions and processes."""
    lines = CLASS.split("\n")
    for number in range(draw(st.integers(0, 2))):
        scope = Scope()
        parameter = one(draw, ["", "p"])
        scope.names = (parameter,) if parameter else ()
        lines += ["", "    @action", f"    def act{number}(self{', p: Int[0, 1]' if parameter else ''}):"]
        lines += ["        " + line for line in draw(statements(scope))]
    for number in range(draw(st.integers(0, 1)) or (len(lines) == len(CLASS.split("\n")))):
        scope = Scope(("me",), process=True)
        lines += ["", f"    @process({draw(st.integers(1, 2))})", f"    def P{number}(self, me):"]
        body = [*draw(statements(scope)), "yield", *draw(statements(scope, 2))]
        if draw(st.booleans()):
            lines += ["        while True:", '            yield "top"', *("            " + line for line in body)]
        else:
            lines += ["        " + line for line in body]
    return "\n".join(lines) + "\n"
