-- The towers of Hanoi: disks of different sizes on three pegs, none ever on a smaller one. Claim that the tower cannot
-- be moved to the last peg, and the counterexample is a shortest way to do it: 2^n - 1 moves. Every arrangement can be
-- reached: there are 3^n of them, and 3 * (3^n - 1) moves between them.
--
-- topic: puzzles
-- check:
-- expect: violated "it cannot be done" in 31 steps
-- check: -D disks=6
-- expect: violated in 63 steps
-- states: 243  transitions: 726  deadlocks: 0

const
  disks: 5;

type
  disk: 1 .. disks; -- the larger number is the larger disk
  peg: 1 .. 3;

var
  on: array [disk] of peg;

startstate begin
  for d: disk do
    on[d] := 1;
  end;
end;

ruleset d: disk; p: peg do
  rule "move" on[d] != p & forall smaller: disk do smaller < d -> on[smaller] != on[d] & on[smaller] != p end ==>
    on[d] := p;
  end;
end;

invariant "it cannot be done" exists d: disk do on[d] != 3 end;
