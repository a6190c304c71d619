-- Dijkstra's self-stabilising ring: from whatever state chaos has left it in, it finds back to a single privilege that
-- goes round, without anybody noticing that something was wrong. Machine 0 is privileged where its colour is that of
-- its predecessor, and takes the next colour; any other one where it is not, and copies it. So the model begins in
-- every state.
--
-- It needs enough colours: with two, several privileges can chase each other for ever.
--
-- topic: distributed algorithms
-- check: --ltl "<> [] {privileges() = 1}"
-- expect: holds
-- check: --invariant "privileges() > 0"
-- expect: holds
-- check: --ltl "<> [] {privileges() = 1}" -D colours=2
-- expect: violated by a cycle
-- states: 81  transitions: 189  deadlocks: 0

const
  machines: 4;
  colours: 3;

type
  machine: 0 .. machines - 1;
  colour: 0 .. colours - 1;

var
  has: array [machine] of colour;

function privileged(m: machine): boolean;
begin
  return m = 0 ? has[0] = has[machines - 1] : has[m] != has[m - 1];
end;

function privileges(): 0 .. machines;
var count: 0 .. machines;
begin
  count := 0;
  for m: machine do
    if privileged(m) then count := count + 1; end;
  end;
  return count;
end;

ruleset a: colour; b: colour; c: colour; d: colour do
  startstate begin
    has[0] := a;
    has[1] := b;
    has[2] := c;
    has[3] := d;
  end;
end;

ruleset m: machine do
  rule "move" privileged(m) ==>
    has[m] := m = 0 ? (has[0] + 1) % colours : has[m - 1];
  end;
end;
