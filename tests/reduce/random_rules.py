"""Random Murphi models of a few alike parts that mostly mind their own business."""

from __future__ import annotations

from tests.reduce.choices import Choices, drawn
from tests.reduce.random_enabledness import RandomModel

TYPES = """type
  who: 0 .. LAST;
  small: 0 .. 2;
  mode: enum { idle, busy, done };
var
  at: array [who] of mode;
  n: array [who] of small;
  g: small;
  b: boolean;
  full: array [who] of boolean;
  token: who;

function up(x: small): small;
begin
  if x = 2 then return 0; end;
  return x + 1;
end;

function free(i: who): boolean;
begin
  return !full[i] & at[i] != done;
end;

procedure hand(var s: small; var t: small);
var kept: small;
begin
  kept := s; s := t; t := kept;
end;
"""


class _Writer:
    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.parts = choices.integer(2, 3)
        self.careless = choices.chance(5)
        self.undefined = choices.chance(6)

    def number(self, who: str, depth: int = 1) -> str:
        options = ["0", "1", "2", f"n[{who}]", f"n[{who}]"]
        if depth:
            options += [f"up({self.number(who, 0)})", f"({self.truth(who, 0)} ? 1 : {self.number(who, 0)})"]
            options += [f"(n[{who}] + 1) % 3"] + (["2 / g", f"n[{who}] + 1"] if self.careless else [])
        if self.choices.chance(4):
            options += ["g", f"n[{self.other(who)}]"]
        return self.choices.one_of(*options)

    def other(self, who: str) -> str:
        """Another part, or the same: an index that is computed cannot be out of range unless that is wanted."""
        return self.choices.one_of("0", "1", "token", f"({who} + 1) % {self.parts}")

    def truth(self, who: str, depth: int = 1) -> str:
        options = [f"n[{who}] < 2", f"at[{who}] = idle", f"at[{who}] != done", f"full[{who}]", f"n[{who}] = 1"]
        if self.choices.chance(3):
            options += [
                "g = 0",
                "b",
                "!b",
                f"full[{self.other(who)}]",
                f"token = {who}",
                f"at[{self.other(who)}] = busy",
            ]
            if depth:
                quantifier = self.choices.one_of("forall", "exists")
                options += [f"{quantifier} k: who do {self.choices.one_of('full[k]', 'n[k] < 2', 'at[k] = idle')} end"]
        if depth:
            options += [
                f"free({who})",
                f"({self.truth(who, 0)} {self.choices.one_of('&', '|', '->')} {self.truth(who, 0)})",
            ]
            options += [f"!({self.truth(who, 0)})"]
        return self.choices.one_of(*options)

    def statement(self, who: str, depth: int = 1) -> str:
        one_of = self.choices.one_of
        kinds = ["mode", "mode", "mode", "number", "number", "flag", "flag"]
        if self.choices.chance(3):
            kinds += ["global", "global", "token", "hand", "assert"]
        if depth:
            kinds += ["if", "alias", "for", "switch"]
        if self.careless:
            kinds += ["error", "assert", "wide"]
        if self.undefined:
            kinds += ["undefine"]
        match one_of(*kinds):
            case "mode":
                return f"at[{who}] := {one_of('idle', 'busy', 'done', 'busy')};"
            case "number":
                return f"n[{who}] := {self.number(who)};"
            case "global":
                return one_of(f"g := {self.number(who)};", "b := !b;", f"b := {self.truth(who)};", f"g := n[{who}];")
            case "token":
                return f"token := {self.other(who)};"
            case "hand":
                return f"hand(n[{who}], {one_of('g', f'n[{self.other(who)}]')});"
            case "assert":
                return f'assert {self.truth(who)} | {self.truth(who)} "asserted";'
            case "error":
                return f'if {self.truth(who)} & {self.truth(who)} & g = 2 then error "met"; end;'
            case "wide":
                return f"n[{who}] := n[{who}] + {self.number(who, 0)};"
            case "undefine":
                return one_of(f"undefine n[{who}];", f"if isundefined(n[{who}]) then n[{who}] := 0; end;")
            case "if":
                other = one_of("", f"else {self.statement(who, 0)}")
                return f"if {self.truth(who)} then {self.statement(who, 0)} {other} end;"
            case "alias":
                return f"alias x: n[{who}] do x := {one_of('up(x)', '0', '1')}; {self.statement(who, 0)} end;"
            case "for":
                return f"for k: who do {one_of('full[k] := false;', 'if n[k] = 2 then n[k] := 0; end;')} end;"
            case "switch":
                cases = f"case idle: {self.statement(who, 0)} case busy: {self.statement(who, 0)}"
                return f"switch at[{who}] {cases} else {self.statement(who, 0)} end;"
            case _:
                return f"full[{who}] := {one_of('true', 'false', f'!full[{who}]', self.truth(who, 0))};"

    def body(self, who: str) -> str:
        text = " ".join(self.statement(who) for _ in range(self.choices.integer(1, 2)))
        if self.choices.chance(10):
            text = f"if {self.truth(who)} then return; end; {text}"
        return f"{text} assume {self.truth(who)};" if self.choices.chance(12) else text

    def rule(self, number: int) -> str:
        who = self.choices.one_of("i", "i", "i", "i", "0", "1")
        guard = self.truth(who) if self.choices.chance(2) else f"at[{who}] = {self.choices.one_of('idle', 'busy')}"
        if self.undefined and "n[" in guard:
            guard = f"!isundefined(n[{who}]) & ({guard})"
        text = f'rule "r{number}" {guard} ==> begin {self.body(who)} end;'
        if who != "i":
            return text
        if self.choices.chance(6):
            text = f"alias here: n[i] do {text} end;"
        return f"ruleset i: who do {text} end;"

    def model(self) -> RandomModel:
        rules = [self.rule(number) for number in range(self.choices.integer(2, 5))]
        # Something can be done at first, and by each part on its own.
        begins = f'rule "begin" at[i] = idle ==> begin at[i] := busy; {self.statement("i")} end;'
        rules.append(f"ruleset i: who do {begins} end;")
        if self.choices.chance(2):
            rules.append('ruleset i: who do rule "again" at[i] = done ==> begin at[i] := idle; end; end;')
        start = "for i: who do at[i] := idle; n[i] := 0; full[i] := false; end; g := 0; b := false; token := 0;"
        if self.choices.chance(10):
            rules.append(f"assume {self.choices.one_of('g < 2', 'n[0] < 2', 'b | g = 0')};")
        if self.choices.chance(3):
            claim = self.choices.one_of("g < 2", "n[0] = 0 | n[1] = 0", "!(at[0] = busy & at[1] = busy)", "!b | g = 0")
            rules.append(f'invariant "claimed" {claim};')
        atoms = ["g = 0", "g = 1", "b", "at[0] = busy", "at[1] = done", "full[0]", "full[1]", "token = 1"]
        atoms += [] if self.undefined else ["n[0] = 1", "n[1] = 2"]
        asked = f"!({' & '.join(self.choices.some(atoms, 2, 3))})"
        text = (
            TYPES.replace("LAST", str(self.parts - 1)) + f"\nstartstate begin {start} end;\n" + "\n".join(rules) + "\n"
        )
        kind = "careless" if self.careless else "undefined" if self.undefined else "plain"
        return RandomModel(text, kind, (asked,), tuple(atoms))


def random_model(choices: Choices) -> RandomModel:
    return _Writer(choices).model()


models = drawn(random_model)
"""A strategy."""
