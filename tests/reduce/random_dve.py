"""Random DVE models with much that is independent: local loops, handshakes, buffers, committed states, failures."""

from __future__ import annotations

import re

from tests.reduce.choices import Choices, drawn
from tests.reduce.random_enabledness import RandomModel

DECLARATIONS = {
    "g": "byte g = 0;",
    "h": "byte h = 0;",
    "u": "byte u = 0;",
    "a": "byte a[2] = {0, 1};",
    "z": "channel {byte} z;",
    "y": "channel y;",
    "q": "channel {byte} q[1];",
    "r": "channel {byte} r[2];",
}
STATES = ("s0", "s1", "s2", "s3")


class _Writer:
    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.names = ("A", "B", "C")[: choices.one_of(2, 3, 3)]
        self.states = {name: STATES[: choices.integer(2, 4)] for name in self.names}
        self.remote = choices.chance(5)
        self.careless = choices.chance(5)
        """Whether values may overflow, indices be out of range, and divisors be zero."""
        self.committed = choices.chance(3)
        self.cyclic = not choices.chance(3)
        """Whether processes go round, or come to an end."""

    def expression(self, local: bool) -> str:
        options = ["1", "0", "l", "(l + 1) % 3", "m", "2", "1 - l % 2"]
        if not local:
            options += ["g", "a[l % 2]", "(g + h) % 3", "a[g % 2]"]
        if self.careless:
            options += ["l * 200", "l + 1", "4 / l", "a[l]", "l - 1"]
        return self.choices.one_of(*options)

    def comparison(self, name: str, local: bool) -> str:
        one_of = self.choices.one_of
        options = ["l < 2", "l == 0", "l != m", "m == 0", "l <= m"]
        if not local:
            options += ["g == 1", "g == 0", "h != 1", "a[0] == 0", "a[l % 2] == 1", "g == h"]
            if self.remote:
                other = one_of(*(each for each in self.names if each != name))
                options += [f"{other}.{one_of(*self.states[other])}", f"{other}->l == 1"] * 2
            if self.careless:
                options += ["a[l] == 1", "2 / l == 1"]
        return one_of(*options)

    def guard(self, name: str, local: bool) -> str:
        first = self.comparison(name, local)
        if not self.choices.chance(3):
            return first
        operator = self.choices.one_of("and", "or", "&&", "||", ",")
        second = self.comparison(name, local)
        return f"{first}, {second}" if operator == "," else f"({first}) {operator} ({second})"

    def effect(self, local: bool) -> str:
        targets = ["l", "l", "m"] if local else ["g", "h", "u", "a[l % 2]", "a[0]", "a[1]", "l"]
        if self.careless and not local:
            targets.append("a[l]")
        effects = [
            f"{self.choices.one_of(*targets)} = {self.expression(local)}" for _ in range(self.choices.integer(1, 2))
        ]
        return f"effect {', '.join(effects)}; "

    def transition(self, name: str, source: str, target: str) -> str:
        one_of = self.choices.one_of
        kind = one_of("local", "local", "local", "global", "global", "meet", "meet", "buffer", "buffer")
        local = kind in ("local", "meet", "buffer")
        parts = ""
        if self.choices.chance(3):
            parts += f"guard {self.guard(name, local and not self.choices.chance(4))}; "
        if kind == "meet":
            parts += f"sync {one_of('z!1', 'z?l', 'z!l', 'z?m', 'y!', 'y?', 'z?g')}; "
        elif kind == "buffer":
            parts += f"sync {one_of('q!1', 'q?l', 'q!l', 'r!1', 'r?m', 'r!l', 'q?g')}; "
        if kind == "global" or self.choices.chance(2):
            parts += self.effect(local)
        return f"{source} -> {target} {{ {parts}}}"

    def process(self, name: str) -> str:
        states = self.states[name]
        transitions = []
        for number, source in enumerate(states):
            last = number == len(states) - 1
            if last and not self.cyclic:
                continue
            onward = states[(number + 1) % len(states)]
            transitions.append(self.transition(name, source, onward))
            for _ in range(self.choices.integer(0, 2)):
                transitions.append(self.transition(name, source, self.choices.one_of(*states)))
            if last and self.choices.chance(4):
                # A loop that concerns nobody else.
                transitions.append(f"{source} -> {source} {{ effect l = 1 - l % 2; }}")
        text = f"process {name} {{\n  byte l = 0, m = {self.choices.one_of('0', '1')};\n"
        text += f"  state {', '.join(states)};\n  init s0;\n"
        if self.committed and self.choices.chance(2):
            text += f"  commit {self.choices.one_of(*states[1:])};\n"
        if self.choices.chance(3):
            claim = self.choices.one_of("g == 0", "h != 1", "l < 2", "g == 0 or h == 1", "a[l % 2] == 0")
            text += f"  assert {self.choices.one_of(*states[1:])}: {claim};\n"
        return text + "  trans\n    " + ",\n    ".join(transitions) + ";\n}"

    def model(self) -> RandomModel:
        processes = [self.process(name) for name in self.names]
        text = "\n".join(processes)
        used = set(re.findall(r"\b\w+\b", text))
        declared = [declaration for name, declaration in DECLARATIONS.items() if name in used]
        atoms = [f"{name} == {value}" for name in "gh" if name in used for value in (0, 1)]
        atoms += [f"{name}.{self.choices.one_of(*self.states[name])}" for name in self.names]
        if self.choices.chance(3):
            atoms += ["A.l == 1", "B.m == 0"]
        asked = f"not ({' and '.join(f'({each})' for each in self.choices.some(atoms, 2, 3))})"
        whole = "\n".join([*declared, text, "system async;", ""])
        kind = "committed" if "commit" in text else "careless" if self.careless else "plain"
        return RandomModel(whole, kind, (asked,), tuple(atoms))


def random_model(choices: Choices) -> RandomModel:
    return _Writer(choices).model()


models = drawn(random_model)
"""A strategy."""
