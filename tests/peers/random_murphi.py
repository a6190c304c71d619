"""Random Murphi models: small variables of every type, and rules that do with them whatever the grammar allows."""

from __future__ import annotations

from random import Random

HEADER = """
type
  small: -1 .. 2;
  colour: enum { red, green, blue };
  pair: record number: small; flag: boolean; end;
var
  x, y: small;
  b: boolean;
  c: colour;
  a: array [small] of boolean;
  m: array [colour] of small;
  p, q: pair;

function clipped(n: -20 .. 20): small;
begin
  if n > 2 then return 2; elsif n < -1 then return -1; end;
  return n;
end;

procedure exchange(var s: small; var t: small);
var kept: small;
begin
  kept := s; s := t; t := kept;
end;
"""
START = """
startstate begin
  x := 0; y := 1; b := false; c := red; clear a; clear m; clear p; q := p;
  LATE
end;
"""


class Models:
    """Draws the parts of a model."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.careless = random.random() < 0.15
        """Whether the model does what may fail: then it nearly always does somewhere."""
        self.bound: list[str] = []
        """Names of loops and quantifiers around, all of type small."""

    def one_of(self, *options: str) -> str:
        return self.random.choice(options)

    def number(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.4:
            return self.one_of("x", "y", "0", "1", "2", "-1", "p.number", "q.number", *self.bound)
        match self.random.randrange(6):
            case 0:
                return f"m[{self.colour(depth - 1)}]"
            case 1:
                operator = self.one_of("+", "-", "*")
                return f"clipped({self.number(depth - 1)} {operator} {self.number(depth - 1)})"
            case 2:
                return f"({self.truth(depth - 1)} ? {self.number(depth - 1)} : {self.number(depth - 1)})"
            case 3:
                return f"({self.number(depth - 1)} % {self.one_of('2', '3', '-2')})"
            case 4:
                return f"({self.number(depth - 1)} / {self.one_of('2', '-1', 'x' if self.careless else '-2', '3')})"
            case _:
                return f"clipped({self.number(depth - 1)})"

    def clipped(self, depth: int = 2) -> str:
        number = self.number(depth)
        return number if self.careless else f"clipped({number})"

    def colour(self, depth: int = 2) -> str:
        if depth > 0 and self.random.random() < 0.2:
            return f"({self.truth(depth - 1)} ? {self.colour(depth - 1)} : {self.colour(depth - 1)})"
        return self.one_of("c", "red", "green", "blue")

    def truth(self, depth: int = 2) -> str:
        if depth == 0:
            return self.one_of("b", "true", "p.flag", "q.flag", "!b", "x < y", "x = 1", "c = red", "!isundefined(x)")
        left, right = self.truth(depth - 1), self.truth(depth - 1)
        match self.random.randrange(8):
            case 0:
                return f"({left} & {right})"
            case 1:
                return f"({left} | {right})"
            case 2:
                return f"({left} -> {right})"
            case 3:
                comparison = self.one_of("<", "<=", "=", "!=", ">", ">=")
                return f"{self.number(depth - 1)} {comparison} {self.number(depth - 1)}"
            case 4:
                return f"a[{self.clipped(depth - 1)}]"
            case 5:
                name = f"k{len(self.bound)}"
                self.bound.append(name)
                body = self.truth(depth - 1)
                self.bound.pop()
                return f"{self.one_of('forall', 'exists')} {name}: small do {body} end"
            case 6:
                return f"isundefined({self.one_of('y', 'm[c]', 'p.flag', 'a[1]')})"
            case _:
                return f"!({left})"

    def statement(self, depth: int) -> str:
        match self.random.randrange(14 if depth > 0 else 9):
            case 0 | 1:
                target = self.one_of("x", "y", f"m[{self.colour(1)}]", "p.number")
                return f"{target} := {self.clipped()};"
            case 2:
                return f"{self.one_of('b', 'p.flag', f'a[{self.clipped(1)}]')} := {self.truth()};"
            case 3:
                return f"c := {self.colour()};"
            case 4:
                undefining = ("undefine q.flag;", "undefine y;", "undefine m[c];") if self.careless else ()
                return self.one_of("p := q;", "q := p;", "clear p;", "clear a;", "y := 0;", *undefining)
            case 5:
                return f"exchange({self.one_of('x', 'm[c]')}, {self.one_of('y', 'm[red]', 'p.number')});"
            case 6:
                certain = "" if self.careless else " | true"
                return f'assert {self.truth()} | {self.truth(0)}{certain} "asserted";'
            case 7 | 8:
                return f"x := {self.clipped()};"
            case 9 | 10:
                otherwise = f"else {self.block(depth - 1)}" if self.random.random() < 0.5 else ""
                return f"if {self.truth()} then {self.block(depth - 1)} {otherwise} end;"
            case 11:
                name = f"k{len(self.bound)}"
                self.bound.append(name)
                body = self.block(depth - 1)
                self.bound.pop()
                return f"for {name}: small do {body} end;"
            case 12:
                first, second = self.block(depth - 1), self.block(depth - 1)
                cases = f"case {self.one_of('0', '1', 'y')}: {first} case 2, -1: {second}"
                return f"switch {self.number(1)} {cases} else {self.block(depth - 1)} end;"
            case _:
                place = self.one_of("m[c]", "x", "p.number")
                return f"alias z: {place} do {self.block(depth - 1)} z := {self.clipped(1)}; end;"

    def block(self, depth: int) -> str:
        return " ".join(self.statement(depth) for _ in range(self.random.randint(1, 2)))

    def rule(self, number: int) -> str:
        early = f"if {self.truth(1)} then return; end;" if self.random.random() < 0.2 else ""
        assumed = f"assume {self.truth(1)};" if self.random.random() < 0.1 else ""
        text = f'rule "r{number}" {self.truth()} ==> begin {early} {self.block(2)} {assumed} end;'
        if self.random.random() < 0.3:
            self.bound.append("i")
            text = f'ruleset i: small do rule "s{number}" {self.truth()} ==> begin {self.block(2)} end; end;'
            self.bound.pop()
        return text

    def model(self) -> str:
        late = self.one_of("", "undefine y;", "undefine m[blue];") if self.careless else ""
        rules = [self.rule(number) for number in range(self.random.randint(2, 4))]
        if self.random.random() < 0.8:
            rules.append('rule "turn" begin b := !b; end;')
        if self.random.random() < 0.3:
            rules.append(f"assume {self.truth(1)} | x < 2;")
        if self.random.random() < 0.3:
            rules.append(f'invariant "i" {self.truth(1)} | {self.truth(1)} | x + y < {self.random.randint(1, 5)};')
        return HEADER + START.replace("LATE", late) + "\n".join(rules) + "\n"


def random_model(seed: int) -> str:
    return Models(Random(seed)).model()
