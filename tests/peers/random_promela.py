"""Random Promela models for Hypothesis: processes, channels, atomics, nested choices, runs, escapes."""

from __future__ import annotations

import re

from hypothesis import strategies as st

PROCESSES = ("P", "Q", "R")


class _Writer:
    """Draws the text of one model. Values stay small, so that most models are finite and small."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.names: tuple[str, ...] = ()
        self.labels = 0
        self.open_labels: list[str] = []
        self.loops = 0
        self.atomics = 0
        self.steps_only = False
        self.local = False

    def one_of(self, *options: str) -> str:
        return self.draw(st.sampled_from(options))

    def chance(self, one_in: int) -> bool:
        return self.draw(st.integers(1, one_in)) == one_in

    def place(self) -> str:
        places = ["a", "b", "f", "r[0]", "r[1]", "r[a % 2]", "s.x", "s.y[b % 2]"]
        return self.one_of(*places, *(("l", "l") if self.local else ()))

    def value(self, depth: int = 1) -> str:
        match self.one_of("number", "place", *(("sum", "choice", "ask", "pid") if depth else ())):
            case "number":
                return self.one_of("0", "1", "2")
            case "sum":
                return f"(({self.value(0)} + {self.value(0)}) % 3)"
            case "choice":
                return f"({self.condition(0)} -> {self.value(0)} : {self.value(0)})"
            case "ask":
                return f"len({self.one_of('q', 'c[0]', 'c[1]')})"
            case "pid":
                return self.one_of("_pid", "_nr_pr")
            case _:
                return self.place()

    def condition(self, depth: int = 1) -> str:
        match self.one_of("compare", "compare", *(("both", "not", "ask", "poll") if depth else ())):
            case "both":
                return f"({self.condition(0)} {self.one_of('&&', '||')} {self.condition(0)})"
            case "not":
                return f"!({self.condition(0)})"
            case "ask":
                return f"{self.one_of('empty', 'full', 'nempty', 'nfull')}(q)"
            case "poll":
                return self.one_of("q?[1]", "c[1]?[0]", "q??[2]")
            case _:
                return f"({self.value(0)} {self.one_of('==', '!=', '<', '>=')} {self.value(0)})"

    def communication(self) -> str:
        matching = self.one_of("1", "eval(b)", self.place(), "_")
        return self.one_of(
            f"q!{self.value(0)}",
            f"q?{matching}",
            f"q!!{self.value(0)}",
            f"q??{matching}",
            f"q?<{self.place()}>",
            f"c[{self.one_of('0', '1', 'a % 2')}]!{self.value(0)}",
            f"c[{self.one_of('0', '1', 'b % 2')}]?{matching}",
            f"z!{self.value(0)},{self.value(0)}",
            f"z?{self.place()},{matching}",
            f"z!{self.one_of('0', '1')},{self.value(0)}",
            f"z?{self.one_of('0', '1')},{self.place()}",
        )

    def basic(self) -> str:
        kinds = ["assign", "assign", "assign", "condition", "increment", "skip", "assert", "print"]
        if not self.steps_only:
            kinds += ["message", "message", "message", "timeout", "run"]
        match self.one_of(*kinds):
            case "condition" if not self.steps_only:
                return self.condition()
            case "increment":
                place = self.place()
                return f"{place} = ({place} + 1) % 3"
            case "assert":
                return f"assert({self.condition(0)})" if self.chance(3) else "assert(true)"
            case "print":
                return 'printf("x")'
            case "message":
                return self.communication()
            case "timeout" if self.chance(2):
                return "timeout"
            case "run" if self.chance(2):
                name = self.one_of(*self.names)
                return f"(n < 2); n++; {self.one_of(f'run {name}({self.value(0)})', f'a = run {name}(1)')}"
            case "skip":
                return "skip"
            case _:
                return f"{self.place()} = {self.value()}"

    def statement(self, depth: int) -> str:
        kinds = ["basic"] * 4
        if depth:
            kinds += ["if", "do", "if", "block", "for"]
            if not self.steps_only:
                kinds += ["atomic", "atomic", "d_step", "unless", "select", "label"]
        if self.loops:
            kinds += ["break"]
        if self.open_labels and not self.steps_only:
            kinds += ["goto"]
        match self.one_of(*kinds):
            case "if":
                return self.choice("if", "fi", depth)
            case "do":
                self.loops += 1
                text = self.choice("do", "od", depth)
                self.loops -= 1
                return text
            case "block":
                return f"{{ {self.body(depth - 1)} }}"
            case "for" if self.local:
                self.loops += 1
                text = f"for (l : 0 .. {self.one_of('1', '2')}) {{ {self.body(depth - 1, 2)} }}"
                self.loops -= 1
                return text
            case "atomic":
                self.atomics += 1
                text = f"atomic {{ {self.body(depth - 1)} }}"
                self.atomics -= 1
                return text
            case "d_step":
                outer = self.loops, self.steps_only
                self.loops, self.steps_only = 0, True
                first = self.one_of(self.condition(), "skip", f"{self.place()} = {self.value()}")
                text = f"d_step {{ {first}; {self.body(depth - 1)} }}"
                self.loops, self.steps_only = outer
                return text
            case "unless":
                main = self.body(depth - 1)
                if self.atomics and re.match("[{ ]*(goto|break)", main):
                    # Spin would not give up control at such a jump: see docs/promela.md.
                    main = f"skip; {main}"
                return f"{{ {main} }} unless {{ {self.condition(0)}; {self.body(depth - 1, 2)} }}"
            case "select":
                return f"select ({self.one_of('a', 'b')} : 0 .. {self.one_of('1', '2')})"
            case "label":
                self.labels += 1
                name = f"{self.one_of('L', 'L', 'end', 'accept', 'progress')}{self.labels}"
                self.open_labels.append(name)
                return f"{name}: {self.one_of(self.basic(), self.choice('if', 'fi', depth))}"
            case "break":
                return "break"
            case "goto":
                return f"goto {self.one_of(*self.open_labels)}"
            case _:
                return self.basic()

    def body(self, depth: int, most: int = 3) -> str:
        return "; ".join(self.statement(depth) for _ in range(self.draw(st.integers(1, most))))

    def choice(self, opening: str, closing: str, depth: int) -> str:
        options = [self.option(depth) for _ in range(self.draw(st.integers(1, 3)))]
        if self.chance(2) or self.steps_only:
            options.append(f":: else -> {self.body(depth - 1, 2)}")
        if opening == "do" and (self.chance(2) or self.steps_only):
            options.append(f":: {self.condition(0)} -> break" if not self.steps_only else "")
            if self.steps_only:
                options = [f":: {self.condition(0)} -> {self.place()} = {self.value()}; break", ":: else -> break"]
        return f"{opening} {' '.join(options)} {closing}"

    def option(self, depth: int) -> str:
        guard = self.condition() if self.steps_only else self.one_of(self.condition(), self.basic(), "goto")
        if guard == "goto":
            guard = f"goto {self.one_of(*self.open_labels)}" if self.open_labels else "skip"
            return f":: {guard}"
        return f":: {guard} -> {self.body(depth - 1, 2)}" if self.chance(2) else f":: {guard}"

    def process(self, name: str) -> str:
        self.open_labels = []
        self.local = True
        active = self.one_of("active ", "active [2] ", "")
        parameter = "byte p" if not active else ""
        provided = f" provided ({self.condition(0)})" if self.chance(8) else ""
        local = self.one_of("byte l;", "byte l = 1;", "byte l = a;", "bit l;", "short l = -1;")
        text = f"{active}proctype {name}({parameter}){provided} {{ {local} {self.body(2, 4)} }}"
        self.local = False
        return text

    def model(self) -> str:
        self.names = PROCESSES[: self.draw(st.integers(1, 3))]
        processes = [self.process(name) for name in self.names]
        only_run = [name for name, text in zip(self.names, processes, strict=True) if not text.startswith("active")]
        processes = [text.replace("(byte p)", "(byte p)").replace("proctype", "proctype") for text in processes]
        # What is active takes no argument that anyone gives; a parameter is zero then.
        processes = [text if "(byte p)" in text else text.replace("()", "(byte p)", 1) for text in processes]
        init = ""
        if len(only_run) == len(self.names) or self.chance(3):
            runs = "; ".join(f"run {name}({self.value(0)})" for name in only_run or self.names[:1])
            init = f"init {{ {self.one_of(f'atomic {{ {runs} }}', runs)}; {self.body(1, 2)} }}"
        order = [*processes, init] if self.chance(2) else [init, *processes]
        return "\n".join(
            [
                "typedef S { byte x; byte y[2] };",
                "byte a, b, n; bit f; byte r[2]; S s;",
                f"chan q = [{self.one_of('1', '2', '3')}] of {{ byte }}; chan c[2] = [1] of {{ byte }};",
                "chan z = [0] of { byte, byte };",
                *order,
            ]
        )


@st.composite
def models(draw: st.DrawFn) -> str:
    """The text of a model."""
    return _Writer(draw).model()
