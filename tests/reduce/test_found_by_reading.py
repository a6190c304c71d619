"""Wrong verdicts found by reading what reductions take for granted. Each is named after what was forgotten."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ouroboros.checking import check, explore
from ouroboros.checking.verifying import verify_certificate
from ouroboros.driver.certifying import CertificateFile
from ouroboros.languages import load
from ouroboros.reduce.memory import shape
from ouroboros.reduce.settled import settled
from ouroboros.reduce.stubborn import Stubborn
from ouroboros.system.expressions import NO_SITE, Call, Procedure
from ouroboros.system.model import REDUCTIONS

CONDITIONAL_MOVE = """
var pc: 0..3; b: boolean; q: 0..1;
startstate begin undefine pc; b := false; q := 0; end;
rule "a" isundefined(pc) ==> begin if b then pc := 1; end; end;
rule "other" q = 0 ==> begin q := 1; end;
"""

TRUTH_IS_NOT_VALUE = """
byte x = 0;
byte y = 2;
byte c = 1;
process P { state a, b; init a; trans a -> b { guard c == 1; effect x = (c and y); }; }
process Q { state a, b; init a; trans a -> b { effect x = y; }; }
process S { state a, bad; init a; trans a -> bad { guard P.b and Q.b and x == 1; }; }
system async;
"""


def test_a_step_that_moves_on_some_condition_alone_does_not_lead_forward(tmp_path: Path) -> None:
    model = tmp_path / "move.m"
    model.write_text(CONDITIONAL_MOVE)
    assert check(load(model), ltl=["[] (q = 0)"]).verdict.value == "violated"


@pytest.mark.parametrize("store", ["full", "compact"])
def test_nor_does_it_where_no_states_are_kept(tmp_path: Path, store: str) -> None:
    model = tmp_path / "move.m"
    model.write_text(CONDITIONAL_MOVE)
    assert check(load(model), invariants=["q = 0"], store=store).verdict.value == "violated"


def test_what_and_gives_is_a_truth_and_not_its_second_operand(tmp_path: Path) -> None:
    model = tmp_path / "truth.dve"
    model.write_text(TRUTH_IS_NOT_VALUE)
    assert check(load(model), invariants=["not S.bad"]).verdict.value == "violated"


WRITES_IN_A_CONDITION = """
var g, h, m: 0..1; v: 0..1; bb: boolean; r, s, t: boolean;
function f(): boolean;
begin
  if m = 1 then g := 1; end;
  return true;
end;
startstate begin g := 1; h := 1; m := 0; v := 0; bb := false; r := false; s := false; t := false; end;
rule "R" !r ==> var i: 0..3; begin
  r := true; m := 0; i := 0;
  while i < 2 do
    bb := (i = 0 | isundefined(v)) & f();
    m := 1; i := i + 1;
  end;
  h := g; g := 0; m := 0; bb := false;
end;
rule "S" !s ==> begin s := true; g := 0; end;
rule "T" t ==> begin undefine v; end;
"""


def test_a_condition_that_is_perhaps_evaluated_may_write(tmp_path: Path) -> None:
    model = tmp_path / "perhaps.m"
    model.write_text(WRITES_IN_A_CONDITION)
    assert check(load(model), invariants=["!(r & h = 0)"]).verdict.value == "violated"


def test_code_that_calls_procedures_is_like_no_other_code() -> None:
    same = Procedure("same", 0)
    first, second = (shape(Call(same, (), 1, NO_SITE), ("step", number)) for number in range(2))
    assert first != second


def verdicts(tmp_path: Path, name: str, text: str, **options: Any) -> set[str]:
    """With all reductions, with none, and without merging."""
    path = tmp_path / name
    path.write_text(text)
    without_merging = REDUCTIONS - {"merging"}
    return {
        str(check(load(path), reductions=kinds, **options).verdict.value)
        for kinds in (REDUCTIONS, frozenset(), without_merging)
    }


FAILS_WHEN_DECIDED = "bool x; active proctype A() { byte y; byte z; x = 1; z = 3; y = 1 / y }"
FAILS_AT_ONCE = "bool x; active proctype A() { byte y; x = 1; y = 1 / y }"


@pytest.mark.parametrize("algorithm", ["ndfs", "owcty", "map"])
@pytest.mark.parametrize("text", [FAILS_WHEN_DECIDED, FAILS_AT_ONCE])
def test_a_failure_after_a_formula_is_decided_makes_no_difference(tmp_path: Path, text: str, algorithm: str) -> None:
    assert verdicts(tmp_path, "m.pml", text, ltl=["<> x"], algorithm=algorithm) == {"holds"}
    assert verdicts(tmp_path, "m.pml", text, ltl=["<> !x"], algorithm=algorithm) == {"holds"}
    assert verdicts(tmp_path, "m.pml", text, ltl=["[] (x || !x)"], algorithm=algorithm) == {"holds"}
    assert verdicts(tmp_path, "m.pml", text, ltl=["[]<> x"], algorithm=algorithm) == {"violated"}
    assert verdicts(tmp_path, "m.pml", text, properties=["assertions"]) == {"violated"}


def test_a_certificate_of_a_formula_that_is_decided_before_a_failure(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(FAILS_AT_ONCE)
    assert check(load(path), ltl=["<> x"], certificate=CertificateFile(tmp_path / "proof")).verdict.value == "holds"
    verify_certificate(path, tmp_path / "proof")


TWO_BEGINNINGS = """
var x: 0..3; u: 0..3;
startstate begin x := 0; u := 0; end;
startstate begin x := 1; u := 0; end;
rule x = 0 ==> u := 1; end;
rule x = 1 ==> u := 2; x := 2; end;
rule x = 2 ==> u := 2; x := 3; end;
"""


def test_a_run_of_a_reduced_system_begins_where_it_does(tmp_path: Path) -> None:
    for options in ({"invariants": ["x != 3"]}, {"ltl": ["[] x < 2"]}):
        assert verdicts(tmp_path, "m.m", TWO_BEGINNINGS, **options) == {"violated"}


ALIKE_AND_UNREAD = """
type T: scalarset(3);
var a: array[T] of 0..2; u: 0..3; k: 0..2;
startstate begin for i: T do a[i] := 0; end; u := 0; k := 0; end;
ruleset i: T do
 rule a[i] < 2 & k = 0 ==> u := 3; a[i] := a[i] + 1; end;
 rule a[i] = 2 & (exists j: T do a[j] = 1 end) & k = 0 ==> u := 1; a[i] := 0; k := 1; end;
 rule a[i] = 1 & k = 1 ==> u := 2; a[i] := 0; k := 2; end;
end;
invariant k != 2;
"""


def test_a_run_of_representatives_without_unread_variables_is_found_again(tmp_path: Path) -> None:
    assert verdicts(tmp_path, "m.m", ALIKE_AND_UNREAD, properties=["assertions"], symmetry=True) == {"violated"}


TWO_FAILURES = """
byte g = 0; byte x = 255;
process Q { state t0, t1; init t0; trans t0 -> t1 { guard g == 0; effect x = x + 1; }; }
process P { byte l = 0; byte k = 5; byte arr[2]; state s0, s1, s2; init s0;
 trans s0 -> s1 { effect g = 1; }, s1 -> s2 { effect l = arr[k]; }; }
system async;
"""


@pytest.mark.parametrize("name", ["assertions", "deadlock"])
def test_of_two_failures_in_a_state_the_one_that_was_found_is_shown(tmp_path: Path, name: str) -> None:
    assert verdicts(tmp_path, "m.dve", TWO_FAILURES, properties=[name]) == {"violated"}


ASSERTION_BESIDE_A_FAILURE = """byte g; byte d;
active proctype Q() { d_step { g == 0 -> d = 1 / d } }
active proctype P() { byte l; g = 1; assert(l == 1) }"""


def test_an_assertion_is_no_violation_of_a_formula(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(ASSERTION_BESIDE_A_FAILURE)
    (answer,) = check(load(path), ltl=["[] (g < 2)"]).answers
    assert answer.trace
    assert answer.trace.violation.message == "division by zero"


UNKNOWN_ATOM = "byte a[3]; byte k; active proctype A() { byte y; k = 1; k = 9; y = 2; y = 3; do :: k = 1; od }"


@pytest.mark.parametrize("algorithm", ["ndfs", "owcty", "map"])
@pytest.mark.parametrize("formula", ["[] (a[k] == 0)", "[]<> (a[k] == 0)", "<> (a[k] == 5)", "<>[] (a[k] == 0)"])
def test_a_run_comes_to_its_first_state_without_a_valuation(tmp_path: Path, formula: str, algorithm: str) -> None:
    assert verdicts(tmp_path, "m.pml", UNKNOWN_ATOM, ltl=[formula], algorithm=algorithm) == {"violated"}


def test_the_referee_lets_an_atomic_sequence_come_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text("byte x; active proctype A() { atomic { x++; x++ } } active proctype B() { byte w; x = 5; w = 3 }")
    assert check(load(path), properties=["assertions"], check_reductions=True).verdict.value == "holds"


BEHIND_A_FAILURE = {
    "the action is not possible otherwise": """byte x = 0, y = 0, z = 1;
active proctype C() { z = 0; end: (false) }
active proctype B() { d_step { (y != 2) -> x = 5 }; end: (false) }
active proctype Y() { end: (x == 9) -> y = 2 }
active proctype A() { end: (1/(x+z) == 1 && y == 2) -> skip }""",
    "others are possible only otherwise": """byte x = 0; byte y = 0; byte z = 1;
process B { state q, r; init q; trans q -> r { guard y != 2; effect x = 5; }; }
process C { state q, r; init q; trans q -> r { effect z = 0; }; }
process Y { state q, r; init q; trans q -> r { guard x == 5 && z == 0; effect y = 2; }; }
process A { state q, r; init q; trans q -> r { guard 1/(x+z) == 1 && y == 2; }; }
system async;""",
    "it is a place, where more is known": """byte x = 1; byte k = 0;
process B { state b0, b1, b2; init b0; trans b0 -> b1 {}, b0 -> b2 { guard 1/x == 1 && C.c1 && A.s2; }; }
process A { state s0, s1, s2; init s0; trans s0 -> s1 { effect x = 0; }, s1 -> s2 { effect x = 1; }; }
process C { state c0, c1; init c0; trans c0 -> c1 { guard k == 5; }; }
process D { state d0, d1; init d0; trans d0 -> d1 { guard B.b1; effect k = 5; }; }
system async;""",
    "it is in an atomic sequence": """byte a[2], i = 5, y = 0, w = 0;
active proctype A() { atomic { y = 1; end: (a[i] == 0 && y == 2) } }
active proctype Y() { end: (w == 3) -> y = 2; i = 0 }
active proctype D() { do :: w = 1 - w od }""",
}


@pytest.mark.parametrize("text", BEHIND_A_FAILURE.values(), ids=BEHIND_A_FAILURE)
def test_what_is_asked_for_behind_a_failure_is_not_asked_for(tmp_path: Path, text: str) -> None:
    name = "m.pml" if "proctype" in text else "m.dve"
    assert verdicts(tmp_path, name, text, properties=["assertions"]) == {"violated"}
    assert verdicts(tmp_path, name, text, properties=["assertions"], check_reductions=True) == {"violated"}


def test_a_step_that_no_table_knows_is_not_looked_up_behind_its_end(tmp_path: Path) -> None:
    options = "\n".join(f":: (v == {number} + 1 && y == 2) -> v = 0" for number in range(60))
    text = f"""byte a[2], i = 0, y = 0, w = 0, v;
active proctype A() {{ end: do :: (a[i] == 0 && y == 2) -> skip {options} od }}
active proctype I() {{ i = 2; i = 0; end: (false) }}
active proctype Y() {{ end: (w == 9) -> y = 2 }}"""
    assert verdicts(tmp_path, "m.pml", text) == {"violated"}


def test_who_waits_for_many_others_is_no_code_of_great_depth(tmp_path: Path) -> None:
    steps = "; ".join(f"x = {number % 2}" for number in range(600))
    text = f"byte x, y; active proctype A() {{ {steps} }} active proctype B() {{ y = 1; timeout -> y = 2 }}"
    path = tmp_path / "m.pml"
    path.write_text(text)
    assert check(load(path)).verdict.value == "holds"


@pytest.mark.timeout(60)
def test_a_long_beginning_is_left_to_machine_code(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text("int i; byte x; init { d_step { do :: i < 10000000 -> i++ :: else -> break od }; x = 1 }")
    assert check(load(path)).verdict.value == "holds"


ASSUMES = """
var x : 0..3;
startstate begin x := 0; end;
rule "a" x = 0 ==> begin x := 1; assume x = 2; end;
rule "b" x = 1 ==> begin x := 2; end;
"""
SLOW_GUARD = """
type num : 0..100000;
var x : 0..3000;
function sum() : boolean;
var s : 0..200000;
begin s := 0; for i : num do s := s + 1; end; return s > 5; end;
startstate begin x := 0; end;
rule "a" x < 3000 & sum() ==> begin x := x + 1; end;
rule "b" x = 3000 ==> begin x := 0; end;
"""


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("text", "verdict"), [(ASSUMES, "violated"), (SLOW_GUARD, "holds")])
def test_a_beginning_is_not_made_of_what_may_be_no_step_or_take_long(tmp_path: Path, text: str, verdict: str) -> None:
    assert verdicts(tmp_path, "m.m", text) == {verdict}


CHOSEN_AT_FIRST = """byte n[3]; byte who; chan q[3] = [1] of { byte };
proctype P(chan in, out; byte me) { byte v; out!me; in?v; assert(v != me) }
init { atomic {
  who = 0; if :: who = 1 :: who = 2 fi;
  n[who] = 1;
  run P(q[0], q[1], 3 + n[1]); run P(q[1], q[2], 5 + n[2]); run P(q[2], q[0], 7)
} }"""


def test_a_beginning_may_choose(tmp_path: Path) -> None:
    """There are two ways through it, and after both it is known who talks to whom: processes send without regard to
    others.
    """
    assert verdicts(tmp_path, "m.pml", CHOSEN_AT_FIRST, safety=True) == {"holds"}
    model = load(tmp_path / "m.pml")
    explore(model)
    assert len(settled(model.system).system.initial) == 2
    stubborn = Stubborn(model.system)
    sends = [
        each.number for each in stubborn.transitions if model.system.actions[each.action].parts[0].text == "out!me"
    ]
    assert len(sends) == 3
    assert all(stubborn.relations.discord[number].bit_count() <= 1 for number in sends)


def test_strict_coverage_is_the_same_with_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "m.dve"
    path.write_text("""byte i = 0; byte x = 0;
process P { state p0, p1, p2; init p0; trans p0 -> p1 { effect i = 5; }, p1 -> p2 { effect i = 0; }; }
process Q { state q0, q1; init q0; trans q0 -> q1 { effect x = 1; }, q1 -> q0 { effect x = 0; }; }
system async;""")
    command = [sys.executable, "-m", "ouroboros", "check", str(path), "--strict"]
    kept = ["--checkpoint", str(tmp_path / "checkpoint")]
    assert [subprocess.run([*command, *more], check=False).returncode for more in ([], kept)] == [0, 0]
