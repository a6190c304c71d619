"""Wrong verdicts found by reading what reductions take for granted. Each is named after what was forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros import check, load
from ouroboros.reduce.memory import shape
from ouroboros.system.expressions import NO_SITE, Call, Procedure

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
