"""Random Murphi models with scalarsets, which may or may not tell their elements apart."""

from __future__ import annotations

from random import Random

HEADER = """
type
  pid: scalarset(SIZE);
  val: scalarset(2);
  mark: enum { nil };
  owner: union { pid, mark };
  message: record from: pid; kind: 0 .. 1; end;
var
  x: pid;
  y: owner;
  v: val;
  n: 0 .. 3;
  b: boolean;
  a: array [pid] of 0 .. 2;
  f: array [pid] of boolean;
  o: array [pid] of pid;
  w: array [owner] of boolean;
  net: multiset [2] of message;

function flagged(): boolean;
begin
  for i: pid do if f[i] then return true; end; end;
  return false;
end;

function first_flagged(): pid;
begin
  for i: pid do if f[i] then return i; end; end;
  return x;
end;

function counted(limit: 0 .. 2): 0 .. 3;
var sum: 0 .. 3;
begin
  sum := 0;
  for i: pid do if a[i] >= limit then sum := sum + 1; end; end;
  return sum;
end;

procedure send(to_whom: pid; what: 0 .. 1);
var m: message;
begin
  if multisetcount(i: net, true) < 2 then
    m.from := to_whom; m.kind := what; multisetadd(m, net);
  end;
end;

procedure post(to_whom: pid; what: 0 .. 1);
var m: message;
begin
  m.from := to_whom; m.kind := what; multisetadd(m, net);
end;

procedure raise(var z: boolean);
begin
  z := true;
end;
"""
START = """
startstate begin
  y := nil; undefine v; n := 0; b := false;
  for i: pid do a[i] := 0; f[i] := false; o[i] := i; x := i; w[i] := false; end;
  w[nil] := false; undefine net;
  LATE
end;
"""


class Models:
    """Draws the parts of a model."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.careless = random.random() < 0.4
        """Whether the model does what may fail: then it nearly always does somewhere."""
        self.bound: list[str] = []
        """Names of loops, quantifiers and rulesets around, all of type pid."""
        self.slots: list[str] = []
        """Names of slots of the multiset that are chosen."""

    def one_of(self, *options: str) -> str:
        return self.random.choice(options)

    def likely(self, chance: float) -> bool:
        return self.random.random() < chance

    def name(self) -> str:
        return f"i{len(self.bound)}"

    def pid(self, own: bool = False) -> str:
        """`own` asks for the name of the nearest loop, where there is one: what rounds do with others is of no use."""
        if self.bound and (own or self.likely(0.8)):
            return self.bound[-1] if own or self.likely(0.7) else self.random.choice(self.bound)
        chosen = [f"net[{slot}].from" for slot in self.slots]
        return self.one_of("x", "x", "o[x]", *chosen, *(["first_flagged()"] if self.likely(0.05) else []))

    def number(self) -> str:
        index = self.pid()
        chosen = [f"net[{slot}].kind" for slot in self.slots]
        return self.one_of("0", "1", "2", "n", f"a[{index}]", "counted(1)", "k", *chosen)

    def truth(self, depth: int = 2) -> str:
        i, j = self.pid(), self.pid()
        simple = ["b", "!b", f"f[{i}]", f"a[{i}] = {self.one_of('0', '1', 'n')}", f"{i} = {j}", "flagged()", "n < 2"]
        simple += [f"isundefined({self.one_of('x', 'v', f'o[{i}]')})", f"!isundefined(x) & x = {i}", f"y = {i}"]
        simple += [f"w[{self.one_of('y', 'nil', i)}]", "ismember(y, mark)", f"o[{i}] = {j}"]
        simple += ["multisetcount(s: net, true) < 2", "multisetcount(s: net, net[s].kind = 1) > 0"]
        if depth == 0:
            return self.one_of(*simple)
        match self.random.randrange(6):
            case 0:
                return f"({self.truth(depth - 1)} & {self.truth(depth - 1)})"
            case 1:
                return f"({self.truth(depth - 1)} | {self.truth(depth - 1)})"
            case 2:
                name = self.name()
                self.bound.append(name)
                body = self.truth(depth - 1)
                self.bound.pop()
                return f"{self.one_of('forall', 'exists')} {name}: {self.one_of('pid', 'pid', 'pid')} do {body} end"
            case 3:
                return f"!({self.truth(depth - 1)})"
            case _:
                return self.one_of(*simple)

    def statement(self, depth: int) -> str:
        own = self.pid(own=self.likely(0.8))
        match self.random.randrange(17 if depth > 0 else 13):
            case 0:
                return f"f[{own}] := {self.one_of('true', 'false', self.truth(0))};"
            case 1:
                return f"a[{own}] := {self.one_of('0', '1', '2', f'a[{own}]')};"
            case 2:
                return f"if a[{own}] < 2 then a[{own}] := a[{own}] + 1; end;"
            case 3:
                return f"{self.one_of('x', 'y', f'o[{own}]')} := {self.pid()};"
            case 4:
                undefining = ("undefine x;", f"undefine o[{own}];") if self.careless else ()
                return self.one_of("y := nil;", "undefine v;", *undefining)
            case 5:
                return self.one_of(
                    "n := n + 1;" if self.careless else "n := 1;",
                    "if n < 3 then n := n + 1; end;",
                    "n := 0;",
                    "n := counted(1);",
                )
            case 6:
                return self.one_of("b := true;", "b := false;", f"b := {self.truth(1)};", "raise(b);")
            case 7:
                return f"k := {self.one_of('0', '1', f'a[{own}]', 'k + 1' if self.careless else '2')};"
            case 8:
                how = self.one_of("send", "post" if self.careless else "send")
                return f"{how}({self.pid()}, {self.one_of('0', '1')});"
            case 9:
                index = self.one_of(own, "y", "nil") if self.careless else own
                return f"w[{index}] := {self.one_of('true', 'false')};"
            case 10:
                removed = [f"multisetremove({slot}, net);" for slot in self.slots]
                return self.one_of("multisetremovepred(s: net, net[s].kind = 1);", "undefine net;", *removed, *removed)
            case 11:
                return self.one_of(f"raise(f[{own}]);", f"alias z: a[{own}] do z := 1; end;", "clear a;", "clear f;")
            case 12:
                rare = ["return;", "clear x;", f"assume {self.truth(0)};", "x := first_flagged();"]
                asserted = f"assert !b | {self.truth(0)};" if self.careless else "b := flagged();"
                return self.one_of(*rare, asserted, "b := flagged();")
            case 13 | 14:
                otherwise = f"else {self.block(depth - 1)}" if self.likely(0.3) else ""
                return f"if {self.truth(1)} then {self.block(depth - 1)} {otherwise} end;"
            case _:
                name = self.name()
                self.bound.append(name)
                body = self.block(depth - 1)
                self.bound.pop()
                return f"for {name}: {self.one_of('pid', 'pid', 'pid', 'pid')} do {body} end;"

    def block(self, depth: int) -> str:
        return " ".join(self.statement(depth) for _ in range(self.random.randint(1, 2)))

    def rule(self, number: int) -> str:
        def body() -> str:
            first = "" if self.careless and self.likely(0.5) else "k := 0;"
            return f"var k: 0 .. 2; begin {first} {self.block(2)} end;"

        match self.random.randrange(4):
            case 0 | 1:
                self.bound.append("p")
                text = f'ruleset p: pid do rule "r{number}" {self.guard()} ==> {body()} end;'
                self.bound.pop()
            case 2:
                self.slots.append("c")
                text = f'choose c: net do rule "c{number}" {self.guard()} ==> {body()} end;'
                self.slots.pop()
            case _:
                text = f'rule "r{number}" {self.guard()} ==> {body()}'
        return text

    def guard(self) -> str:
        return self.truth(1) if self.likely(0.8) else "true"

    def model(self) -> str:
        rules = [self.rule(number) for number in range(self.random.randint(2, 4))]
        # Without these a model hardly ever has anything to tell apart.
        rules += ['ruleset p: pid do rule "set" f[p] := !f[p]; end; end;', 'rule "turn" b := !b; end;']
        if self.likely(0.5):
            rules.append('ruleset p: pid do rule "take" isundefined(x) ==> x := p; o[p] := p; end; end;')
        if self.likely(0.6):
            rules.append(f'invariant "i" {self.truth(2)} | {self.truth(1)} | n < {self.random.randint(1, 3)};')
        if self.likely(0.2):
            rules.append(f'ruleset p: pid do invariant "j" {self.truth(1)} | a[p] < 2 | n < 2; end;')
        header = HEADER.replace("SIZE", self.one_of("2", "3", "3"))
        # The name of a local variable must be known in every expression, so that there is a constant of that name.
        late = self.one_of("undefine x;", "undefine x; undefine o;", "") if self.careless else ""
        return "const k: 1;" + header + START.replace("LATE", late) + "\n".join(rules) + "\n"


def random_scalarset_model(seed: int) -> str:
    return Models(Random(seed)).model()
