-- Consensus in rounds, where processes may crash: in each round everybody tells everybody which values it knows, and
-- at the end takes the smallest. A process that crashes while it sends reaches only some of the others. It takes one
-- round more than there can be crashes: then in one of the rounds nobody crashed, and after it all know the same.
--
-- topic: consensus
-- check:
-- expect: holds
-- check: -D rounds=1
-- expect: violated in 4 steps
-- states: 362  transitions: 1012  deadlocks: 0

const
  processes: 3;
  faults: 1;
  rounds: 2;

type
  process: 0 .. processes - 1;
  bit: 0 .. 1;

var
  input: array [process] of bit;
  knows: array [process] of array [bit] of boolean;
  hears: array [process] of array [bit] of boolean;   -- known at the end of the round
  alive: array [process] of boolean;
  left: 0 .. faults;
  turn: 0 .. processes;      -- who sends next; the order within a round makes no difference
  round: 1 .. rounds + 1;

procedure start(a: bit; b: bit; c: bit);
begin
  input[0] := a;
  input[1] := b;
  input[2] := c;
  for p: process do
    alive[p] := true;
    for v: bit do
      knows[p][v] := input[p] = v;
    end;
  end;
  hears := knows;
  left := faults;
  turn := 0;
  round := 1;
end;

function decision(p: process): bit;
begin
  return knows[p][0] ? 0 : 1;
end;

ruleset a: bit; b: bit; c: bit do
  startstate begin
    start(a, b, c);
  end;

  rule "once more" round > rounds ==>
    start(a, b, c);
  end;

  -- With the values of a, b and c: which of the three still hear from it.
  rule "crash" round <= rounds & turn < processes & alive[turn] & left > 0 ==>
    for v: bit do
      hears[0][v] := hears[0][v] | (a = 1 & knows[turn][v]);
      hears[1][v] := hears[1][v] | (b = 1 & knows[turn][v]);
      hears[2][v] := hears[2][v] | (c = 1 & knows[turn][v]);
    end;
    alive[turn] := false;
    left := left - 1;
    turn := turn + 1;
  end;
end;

rule "send" round <= rounds & turn < processes ==>
  if alive[turn] then
    for p: process do
      for v: bit do
        hears[p][v] := hears[p][v] | knows[turn][v];
      end;
    end;
  end;
  turn := turn + 1;
end;

rule "end the round" round <= rounds & turn = processes ==>
  knows := hears;
  turn := 0;
  round := round + 1;
end;

invariant "agreement"
  round > rounds -> forall p: process do forall q: process do
    alive[p] & alive[q] -> decision(p) = decision(q)
  end end;

invariant "validity"
  round > rounds -> forall p: process do alive[p] -> exists q: process do input[q] = decision(p) end end;
