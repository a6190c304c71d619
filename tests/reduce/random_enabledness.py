"""Random Promela models in which it matters who can see whether a step is possible.

Two kinds. A skeleton has a process that moves something and another one that sees it, in one of all the ways in which
the language lets it see; what these processes do besides is random. A free model has processes of random pieces.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tests.reduce.choices import Choices, drawn
from tests.reduce.promela_pieces import DECLARATIONS, Direction, Habits, Pieces

SKELETONS = (
    *("receiver", "receiver", "receiver", "sender", "send", "send", "send", "receive", "receive", "receive"),
    *("assignment", "death", "birth", "place", "variable", "channel variable", "own variable", "blocking", "number"),
)
"""What moves; what is more often a trap comes more often."""

WATCHERS = (
    *("assert(g == 0 || h == 1)", "assert(h == 0)", "assert(g == 0)", "assert(!(g == 1 && h == 1))", "h = 1"),
    *("(g == 1); assert(h == 1)", "(h == 1); assert(g == 0)", "assert(len(q) == 0 || g == 0)", "g = 1; h = 1"),
)

_LOCALS = r"\b[klm]\b"
_LOOKS_AT_NUMBERS = r"\b[kv] (==|<|>|!=|%)|\bl = [kv]\b"


class RandomModel(NamedTuple):
    text: str
    kind: str
    """What it was made to try."""
    invariants: tuple[str, ...] = ()
    """Expressions to ask for; most are false somewhere."""
    atoms: tuple[str, ...] = ()
    """Expressions for formulas."""
    numbers: bool = False
    """Whether the numbers of channels matter: Spin gives others."""


class _Process(NamedTuple):
    name: str
    body: str
    declarations: str = ""
    parameter: str = ""
    active: str = "active "
    suffix: str = ""

    @property
    def text(self) -> str:
        body = re.sub(r"\s+", " ", self.body)
        return (
            f"{self.active}proctype {self.name}({self.parameter}){self.suffix} {{"
            f" byte l, m; {self.declarations}{body} }}"
        )


class _Writer:
    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.habits = Habits(
            ends_anywhere=not choices.chance(4),
            remote=choices.chance(8),
            numbers=choices.chance(8),
            indirect=choices.chance(4),
            priorities=choices.chance(20),
            last=choices.chance(25),
            liveness=choices.chance(10),
        )

    def pieces(self, name: str, others: tuple[str, ...] = (), runs: str | None = None) -> Pieces:
        return Pieces(self.choices, self.habits, name, others, runs)

    def locals(self, pieces: Pieces, low: int, high: int) -> str:
        return "".join(f"{pieces.local()}; " for _ in range(self.choices.integer(low, high)))

    def suffix(self, pieces: Pieces, provided: int) -> str:
        text = f" priority {self.choices.integer(1, 3)}" if self.habits.priorities else ""
        if self.choices.chance(provided):
            remote, self.habits.remote = self.habits.remote, False
            text += f" provided {re.sub(_LOCALS, '1', pieces.condition())}"
            self.habits.remote = remote
        return text

    def skeleton(self) -> RandomModel:
        """A process that moves, one that sees, and perhaps one that sees what came of it."""
        one_of = self.choices.one_of
        kind = one_of(*SKELETONS)
        self.habits.numbers = self.habits.numbers or kind in ("death", "birth", "number")
        mover, observer = self.pieces("A"), self.pieces("B", ("A",))
        declarations = parameter = claim = init = ""
        active = "active "
        before = one_of("", "", "", "(g == 1); ", "q!1; ", "l = 1; ")
        channel = one_of("q", "q", "r", "d[0]")
        others = []
        match kind:
            case "receiver":
                move, step = mover.receive("z"), "z!1"
            case "sender":
                move, step = mover.send("z"), observer.receive("z")
            case "send" | "receive":
                sends = kind == "send"
                move = mover.send(channel) if sends else mover.receive(channel)
                step = observer.receive(channel) if sends else observer.send(channel)
                if not sends:
                    before = f"{observer.send(channel)}; "
                if self.choices.chance(3):
                    step = observer.condition()
                match one_of("direct", "direct", "direct", "variable", "global", "parameter"):
                    case "variable" if "[" not in channel:
                        declarations, move = f"chan k = {channel}; ", move.replace(channel, "k", 1)
                    case "global" if "[" not in channel:
                        move, step = move.replace(channel, "v", 1), step.replace(channel, "v", 1)
                        others.append(one_of(f"v = {channel}", f"v = {channel}; v = r", "skip"))
                    case "parameter" if "[" not in channel:
                        move, parameter, active = move.replace(channel, "c", 1), "chan c", ""
                        init = f"init {{ run A({channel}) }}"
                name = re.split("[?!]", move)[0]
                if "[" not in name and not self.choices.chance(3):
                    claim = f"{'xs' if sends else 'xr'} {name}; "
            case "assignment":
                move, step = mover.assign(), observer.condition()
            case "death":
                move, step = "", one_of("(_nr_pr == 2)", "(_nr_pr == 1)", "(_nr_pr == 3)", "(_nr_pr < 3)")
            case "birth":
                move, step = "run D(q)", one_of("(_nr_pr == 3)", "(_nr_pr == 4)", "(_nr_pr < 3)", observer.possibly())
            case "place":
                move, step = "L: skip", one_of("(A@L)", "(!(A@L))")
            case "variable":
                move, step = one_of("l = 1", "m = 1"), one_of("(A:l == 1)", "(A:m == 0)", "(A:l == A:m)")
            case "channel variable":
                move, step = one_of("v = q", "v = r", "v = z"), one_of("v!1", "v?l", "(v == 2)", "(len(v) == 1)")
                before = one_of("", "q!1; ", "r!1; ", "v!1; ")
            case "own variable":
                first, second = one_of("q", "r", "v"), one_of("q", "r", "q")
                declarations = f"chan k = {first}; "
                sends = self.choices.chance(2)
                claim = one_of(f"{'xs' if sends else 'xr'} k; ", "")
                move = f"k = {second}; {one_of('g = 1; ', '')}{'k!1' if sends else 'k?l'}"
                step = observer.receive(second) if sends else observer.send(second)
            case "number":
                # A channel's number tells how many there were when its process was made.
                declarations, move = "chan k = [1] of { byte }; ", one_of("g = k", "skip", "w!k", "skip")
                own, number = "chan k = [1] of { byte }; ", one_of("1", "2", "3", "3")
                others.append(f"{own}l = k; assert(l != {number})")
                init = one_of("init { run D(q); run C() }", "init { run C() }", "init { skip; run C() }")
                step = one_of("w?k", "(g == 3)", "(g < 3)", "(_nr_pr == 2)")
            case _:
                move, step = one_of("(0)", "(g == 2)", "z!1", "q?l"), "timeout"
        if self.choices.chance(4):
            move = one_of(
                f"atomic {{ {move or 'skip'}; h = 1 }}", f"if :: {move or 'skip'} :: {one_of('q?1', '(h == 2)')} fi"
            )
        mover.labelled = "L: " in move
        # The steps before what matters are what a reduction would take at once.
        moving = f"{one_of('', '', 'g = 1; ')}{self.locals(mover, 0, 2)}{mover.waiting(move) if move else 'skip'}"
        moving += one_of("", "", f"; {mover.event()}", f"; {mover.local()}", f"; {mover.forever()}")
        sees = step if step == "timeout" else observer.observer(step)
        if step == "timeout":
            sees = f"timeout; {observer.consequence()}"
        suffix = ""
        if step.startswith("(") and "A" not in step and self.choices.chance(3):
            suffix, sees = f" provided {re.sub(_LOCALS, '1', step)}", observer.consequence()
        seeing = f"{one_of('', before, before, before)}{self.locals(observer, 0, 1)}{sees}"
        seeing += one_of("", "", f"; {observer.event()}")
        key = "k" in re.findall(r"\b\w+\b", seeing)
        processes = [
            _Process("A", moving, declarations + claim, parameter, active, self.suffix(mover, 15)),
            _Process("B", seeing, "chan k = q; " if key else "", suffix=suffix or self.suffix(observer, 25)),
        ]
        if self.choices.chance(2):
            others.append(one_of(*WATCHERS, self.pieces("C", ("A",)).event()))
        for name, body in zip("CE", others, strict=False):
            active = "" if f"run {name}()" in init else "active "
            processes.append(_Process(name, body, active=active, suffix=self.suffix(observer, 30)))
        return self.model(f"{kind} seen by {_seen_by(sees, suffix)}", processes, init)

    def free(self) -> RandomModel:
        one_of = self.choices.one_of
        names = "ABC"[: self.choices.integer(2, 3)]
        twice = "B" if self.choices.chance(8) else ""
        self.habits.dynamic = self.choices.chance(4)
        runs = "D" if self.habits.dynamic else None
        directions: tuple[Direction, ...] = ("?", "!")
        for channel in ("q", "r"):
            for direction in directions:
                if self.choices.chance(3):
                    self.habits.claimed[channel, direction] = one_of(*(name for name in names if name != twice))
        claimed = dict(self.habits.claimed)
        if self.choices.chance(6):
            # Nobody keeps to what is claimed.
            self.habits.claimed.clear()
        processes = []
        for name in names:
            others = tuple(other for other in names if other < name and other != twice)
            pieces = self.pieces(name, others, runs)
            pieces.has_variable = self.habits.indirect and self.choices.chance(2)
            declarations = f"chan k = {one_of('q', 'r', 'z')}; " if pieces.has_variable else ""
            for (channel, direction), owner in claimed.items():
                if owner == name:
                    declarations += f"{'xs' if direction == '!' else 'xr'} {channel}; "
            body = pieces.pieces(1, 4)
            active = "active [2] " if name == twice else "active "
            processes.append(_Process(name, body, declarations, "", active, self.suffix(pieces, 15)))
        return self.model("free", processes, "")

    def model(self, kind: str, processes: list[_Process], init: str) -> RandomModel:
        text = "\n".join(each.text for each in processes)
        processes = [
            each._replace(body=f"L: skip; {each.body}")
            if f"{each.name}@L" in text and not re.search(r"\bL: ", each.body)
            else each
            for each in processes
        ]
        if "run D" in text + init:
            pieces = self.pieces("D", (), "D")
            processes.append(_Process("D", pieces.pieces(1, 2, 0), "", "chan c", ""))
        # The youngest dies first: so it matters who is made last.
        ordered = [*(each.text for each in processes), *([init] if init else [])]
        if not re.search(r"[A-C][@:]", "".join(ordered)):
            # Who is looked into must be declared before.
            ordered = self.choices.shuffled(ordered)
        text = "\n".join(ordered)
        used = set(re.findall(r"\b\w+\b", text))
        declared = [declaration for name, declaration in DECLARATIONS.items() if name in used]
        globals_ = [name for name in "ghf" if name in used]
        atoms = [item for name in globals_ for item in (f"{name} == 0", f"{name} == 1")]
        atoms += [item for name in "qr" if name in used for item in (f"len({name}) == 1", f"len({name}) == 0")]
        if self.choices.chance(4):
            atoms += ["A:l == 1", "B:l == 0"]
        if "L: " in processes[0].body and processes[0].active:
            atoms.append("A@L")
        if self.habits.last:
            atoms.append("_last == 0")
        asked = [f"!({' && '.join(self.choices.some(atoms, 2, 3))})"] if atoms else []
        numbers = bool(re.search(_LOOKS_AT_NUMBERS, text))
        return RandomModel("\n".join([*declared, text, ""]), kind, tuple(asked), tuple(atoms), numbers)


def _seen_by(sees: str, suffix: str) -> str:
    if suffix:
        return "provided"
    for word in ("d_step", "atomic", "unless", "timeout", "do", "else", "if"):
        if re.search(rf"\b{word}\b", sees):
            return word
    return "nothing special"


def random_model(choices: Choices) -> RandomModel:
    writer = _Writer(choices)
    return writer.free() if choices.chance(3) else writer.skeleton()


models = drawn(random_model)
"""A strategy."""
