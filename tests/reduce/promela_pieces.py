"""The pieces of random Promela models: local steps, steps that others see, and what sees whether a step is possible."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from tests.reduce.choices import Choices

Direction = Literal["?", "!"]

BUFFERS = ("q", "r", "d[0]", "d[1]")
DECLARATIONS = {
    "g": "byte g;",
    "h": "byte h;",
    "f": "bit f;",
    "a": "byte a[2];",
    "u": "byte u;",
    "n": "byte n;",
    "z": "chan z = [0] of { byte };",
    "q": "chan q = [1] of { byte };",
    "r": "chan r = [2] of { byte };",
    "d": "chan d[2] = [1] of { byte };",
    "v": "chan v = [1] of { byte };",
    "w": "chan w = [1] of { chan };",
}
"""Of all global names; `u` is never read."""


@dataclass
class Habits:
    """What a model does at all. Each of these makes most models of their kind alike: so each is rare in itself."""

    ends_anywhere: bool = False
    """Whether a process may end wherever it waits."""
    remote: bool = False
    numbers: bool = False
    """Whether the numbers of channels and processes are looked at."""
    indirect: bool = False
    """Whether channels are in variables and messages."""
    priorities: bool = False
    last: bool = False
    dynamic: bool = False
    liveness: bool = False
    """Whether there are accept and progress labels."""
    claimed: dict[tuple[str, Direction], str] = field(default_factory=dict)
    """Which process alone does this with a channel."""


class Pieces:
    """Draws the statements of one process."""

    def __init__(self, choices: Choices, habits: Habits, name: str, others: tuple[str, ...], runs: str | None) -> None:
        self.choices = choices
        self.habits = habits
        self.name = name
        self.others = others
        """Processes that are there once, and have a label `L` and a variable `l`."""
        self.runs = runs
        """The process type that may be run."""
        self.has_variable = False
        """Whether the process has a channel variable `k`."""
        self.labels = 0
        self.labelled = False
        """Whether it has the label `L`."""
        self.inside = False
        """Whether we are inside of a d_step."""
        self.loops = 0

    def local(self) -> str:
        """What concerns nobody else."""
        one_of = self.choices.one_of
        match one_of("set", "set", "set", "step", "copy", "skip", "print", "test", "choose", "branch", "count", "pid"):
            case "set":
                return one_of("l = 1", "l = 0", "m = 1", "l = 2")
            case "step":
                return one_of("l = (l + 1) % 3", "l = 1 - l % 2", "m = (m + l) % 3")
            case "copy":
                return one_of("m = l", "l = m")
            case "print":
                return 'printf("x")'
            case "test":
                return one_of("(l < 3)", "assert(l < 3)", "(l >= m || l < m)")
            case "choose" if not self.inside:
                return one_of("if :: l = 0 :: l = 1 fi", "if :: l = 0 :: m = 1 fi", "select (l : 0 .. 1)")
            case "branch":
                return one_of("if :: l == 0 -> l = 1 :: else -> skip fi", "if :: l > m -> l = m :: else -> m = l fi")
            case "count" if not self.inside:
                return "do :: l < 2 -> l++ :: else -> break od"
            case "pid":
                return "l = _pid" if self.habits.numbers else "l = 1"
            case _:
                return "skip"

    def forever(self) -> str:
        """A loop of local steps: what is put off because of it must not be put off for ever."""
        return self.choices.one_of(
            "do :: l = 1 - l % 2 od",
            "do :: skip od",
            "do :: l = (l + 1) % 3 :: m = l od",
            "do :: l == 0 -> l = 1 :: l > 0 -> l = 0 od",
        )

    def channel(self, direction: Direction, buffered: bool = False) -> str:
        """A name for a channel that one may send to or receive from without breaking a claim, mostly."""
        options = [*BUFFERS, "q", "q", "q", "r", f"d[{self.choices.one_of('m', 'h')} % 2]"]
        if not buffered and not self.inside:
            options += ["z"] * 4
        if self.habits.indirect:
            options += ["v", *(["k", "k", "k"] if self.has_variable else [])]
        if self.runs == self.name:
            options += ["c", "c"]
        kept = [name for name in options if self.habits.claimed.get((name, direction), self.name) == self.name]
        return self.choices.one_of(*kept) if kept else "q"

    def receive(self, channel: str | None = None) -> str:
        what = self.choices.one_of("l", "l", "l", "l", "l", "_", "1", "eval(l)", "g")
        how = self.choices.one_of("?", "?", "?", "?", "?", "?", "??", "copy")
        channel = channel or self.channel("?")
        if how == "copy" and what in ("l", "g") and channel != "z":
            return f"{channel}?<{what}>"
        return f"{channel}{'?' if channel == 'z' or how == 'copy' else how}{what}"

    def send(self, channel: str | None = None) -> str:
        channel = channel or self.channel("!")
        how = "!!" if channel != "z" and self.choices.chance(8) else "!"
        return f"{channel}{how}{self.choices.one_of('1', '0', 'l', '2', 'g')}"

    def assign(self) -> str:
        """A step on global variables."""
        options = ["g = 1", "h = 1", "g = l", "h = 0", "g = (g + 1) % 3", "f = 1 - f", "a[l % 2] = 1", "u = l"]
        if self.habits.indirect and not self.inside:
            options += ["v = q", "v = r"] + ["k = q", "k = d[0]"] * self.has_variable
            options += ["w!q", "w!v"] + ["w?k", "w!k"] * self.has_variable
        if self.habits.priorities:
            options += ["set_priority(_pid, 2)", "set_priority(_pid, 1 + g)"]
        return self.choices.one_of(*options)

    def condition(self, depth: int = 1) -> str:
        """What others can make true or false."""
        ask = f"{self.choices.one_of('empty', 'full', 'nempty', 'nfull')}({self.choices.one_of('q', 'r', 'd[0]')})"
        options = ["g == 1", "g != 0", "h == 1", "f == 0", "a[0] == 0", "len(q) == 1", "len(r) < 2", ask]
        options += ["q?[1]", "r?[0]", "r??[1]", "g == h"]
        if self.habits.dynamic or self.habits.numbers:
            options += ["_nr_pr == 3", "_nr_pr < 3", "_nr_pr == 2", "_nr_pr == 2"]
        if self.habits.remote:
            options += [item for other in self.others for item in (f"{other}@L", f"{other}:l == 1", f"!({other}@L)")]
        if self.habits.numbers and self.habits.indirect:
            options += ["v == 2", "v < 3"] + ["k == 3", "k > 2"] * self.has_variable
        if self.habits.last:
            options += ["_last == 0", "_last == 1"]
        if self.habits.priorities:
            options += ["get_priority(_pid) == 1"]
        if depth and self.choices.chance(4):
            return f"({self.condition(0)} {self.choices.one_of('&&', '||')} {self.condition(0)})"
        return f"({self.choices.one_of(*options)})"

    def create(self) -> str:
        """At most two are made, so that there are not too many states."""
        assert self.runs
        argument = self.choices.one_of("q", "r", "q", "v")
        made = self.choices.one_of(f"run {self.runs}({argument})", f"l = run {self.runs}({argument})")
        return f"if :: atomic {{ n < {self.choices.one_of('1', '2')} -> n++; {made} }} :: n > 0 fi"

    def event(self) -> str:
        """A step that others may see, or that others make possible."""
        kinds = ["receive", "receive", "send", "send", "assign", "assign", "wait"]
        if self.habits.dynamic and self.runs and not self.inside:
            kinds.append("create")
        match self.choices.one_of(*kinds):
            case "receive":
                return self.waiting(self.receive())
            case "send":
                return self.waiting(self.send())
            case "wait":
                return self.waiting(self.condition())
            case "create":
                return self.create()
            case _:
                return self.assign()

    def possibly(self) -> str:
        """A statement that is possible at some times, and at others not."""
        match self.choices.one_of("receive", "send", "send", "condition"):
            case "receive":
                return self.receive()
            case "send":
                return self.send()
            case _:
                return self.condition()

    def waiting(self, statement: str) -> str:
        """A statement that may block, with a label or none."""
        if self.inside:
            return statement
        if not self.labelled and self.habits.remote and self.choices.chance(2):
            self.labelled = True
            return f"L: {statement}"
        kinds = ["end"] if self.habits.ends_anywhere else ["", "", "", "end"]
        kind = self.choices.one_of(*kinds, *(("accept", "progress") if self.habits.liveness else ()))
        self.labels += 1
        return f"{kind}{self.labels}: {statement}" if kind else statement

    def consequence(self) -> str:
        """What comes of what was seen."""
        return self.choices.one_of(*["assert(0)"] * 4, "assert(g == 0)", "g = 1", "h = 1", "assert(h == 1)", "0")

    def observer(self, step: str, how: str | None = None) -> str:
        """What sees whether a step is possible now."""
        one_of = self.choices.one_of
        bad = self.consequence()
        kinds = [
            "else",
            "else",
            "unless",
            "atomic",
            "choice",
            "plain",
            "loop",
            "d_step",
            "d_step choice",
            "d_step else",
        ]
        match how or one_of(*kinds, "timeout", "escape", "atomic else"):
            case "else":
                return one_of(f"if :: {step} :: else -> {bad} fi", f"if :: {step} -> {bad} :: else -> skip fi")
            case "unless":
                return f"{{ {one_of('g = 1', 'l = 1', 'h = 1')}; {bad} }} unless {{ {step} }}"
            case "escape":
                return f"{{ {one_of('g = 1; ', '')}{self.waiting(self.possibly())} }} unless {{ {step}; {bad} }}"
            case "atomic":
                return f"atomic {{ {one_of('h = 1', 'g = 1', 'l = 1')}; {step}; {one_of('h = 0', 'g = 0', bad)} }}"
            case "atomic else":
                return f"atomic {{ {self.local()}; if :: {step} :: else -> {bad} fi }}"
            case "choice":
                return f"if :: {step} -> {bad} :: {one_of('skip', 'l = 1', 'h = 1')} fi"
            case "loop":
                return f"do :: {step} -> break :: else -> {one_of('l = 1 - l % 2', 'h = 1', f'{bad}; break')} od"
            case "timeout":
                return one_of(f"if :: {step} :: timeout -> {bad} fi", f"timeout; {bad}", f"timeout; {step}; {bad}")
            case "d_step" if self.fits(step):
                return f"d_step {{ {one_of('h = 1', 'g = 1', 'l = 1')}; {step}; {one_of('h = 0', 'g = 0')} }}"
            case "d_step choice" if self.fits(step):
                return f"d_step {{ h = 0; if :: {step} -> skip :: {one_of('g = 1', 'l = 1')}; {bad} fi }}"
            case "d_step else" if self.fits(step):
                return f"d_step {{ skip; if :: {step} :: else -> {bad} fi }}"
            case _:
                return f"{self.waiting(step)}; {bad}"

    def fits(self, step: str) -> bool:
        """Whether a step may stand in the middle of a d_step: no rendezvous does."""
        return not step.startswith(("z", "k", "c", "v"))

    def piece(self, depth: int = 2) -> str:
        """A few statements."""
        one_of = self.choices.one_of
        kinds = ["local", "local", "local", "event", "event", "event", "observer"]
        if depth:
            kinds += ["atomic", "atomic", "d_step", "do", "if", "unless", "forever"]
        match one_of(*kinds):
            case "event":
                return self.event()
            case "observer":
                return self.observer(self.possibly())
            case "atomic":
                return f"atomic {{ {self.pieces(1, 3, depth - 1)} }}"
            case "d_step":
                return self.d_step()
            case "do":
                leave = one_of(f":: {self.condition()} -> break", ":: else -> break", ":: break", "")
                return f"do {self.options(depth, 1)} {leave} od"
            case "if":
                other = one_of("", f":: else -> {self.pieces(1, 1, 0)}")
                return f"if {self.options(depth, 2)} {other} fi"
            case "unless":
                return f"{{ {self.pieces(1, 3, 0)} }} unless {{ {self.possibly()}; {self.pieces(1, 1, 0)} }}"
            case "forever" if self.choices.chance(4):
                return self.forever()
            case _:
                return self.local()

    def options(self, depth: int, low: int) -> str:
        text = ""
        for _ in range(self.choices.integer(low, 2)):
            # A choice inside of which is first has an `else` of its own: two at one place are refused.
            first = self.choices.one_of(self.possibly(), self.possibly(), "l = 1", "skip", self.assign())
            text += f":: {first}; {self.pieces(1, 2, depth - 1)} " if self.choices.chance(2) else f":: {first} "
        return text

    def d_step(self) -> str:
        self.inside = True
        first = self.choices.one_of(self.condition(), self.local(), self.assign(), self.receive())
        rest = [
            self.choices.one_of(self.local(), self.assign(), self.event() if self.choices.chance(4) else "skip")
            for _ in range(self.choices.integer(1, 2))
        ]
        self.inside = False
        return f"d_step {{ {'; '.join([first, *rest])} }}"

    def pieces(self, low: int, high: int, depth: int = 2) -> str:
        return "; ".join(self.piece(depth) for _ in range(self.choices.integer(low, high)))
