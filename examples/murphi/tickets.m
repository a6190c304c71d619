-- A ticket lock: who comes takes the next number, and waits until it is shown. Numbers are used again when all of them
-- have been, so there must be as many as processes.
--
-- topic: mutual exclusion
-- check:
-- expect: holds
-- check: --symmetry
-- expect: holds
-- states: 93  transitions: 171  deadlocks: 0
-- count: --symmetry
-- states: 21  transitions: 45

const
  n: 3;

type
  process: scalarset(n);
  number: 0 .. n - 1;
  place: enum { outside, waiting, inside };

var
  at: array [process] of place;
  ticket: array [process] of number;
  next, shown: number;

function after(t: number): number;
begin
  return (t + 1) % n;
end;

startstate "empty" begin
  for p: process do
    at[p] := outside;
  end;
  next := 0;
  shown := 0;
end;

ruleset p: process do
  rule "take a ticket" at[p] = outside ==>
    ticket[p] := next;
    next := after(next);
    at[p] := waiting;
  end;

  rule "enter" at[p] = waiting & ticket[p] = shown ==>
    at[p] := inside;
  end;

  rule "leave" at[p] = inside ==>
    undefine ticket[p];
    shown := after(shown);
    at[p] := outside;
  end;
end;

invariant "one at a time"
  forall p: process do forall q: process do
    p != q -> at[p] != inside | at[q] != inside
  end end;

invariant "no number twice"
  forall p: process do forall q: process do
    p != q & at[p] != outside & at[q] != outside -> ticket[p] != ticket[q]
  end end;
