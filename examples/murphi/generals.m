-- The Byzantine generals, after Lamport, Shostak and Pease: a commander sends an order to the others, these tell each
-- other what they got, and each does what the majority of its messages says. One of them all is a traitor, who tells
-- everybody what it likes. Four generals agree in spite of it; with three nobody can tell a lying commander from a
-- lying messenger.
--
-- topic: consensus
-- check:
-- expect: holds
-- check: -D generals=3
-- expect: violated in 4 steps
-- states: 240  transitions: 552  deadlocks: 0

const
  generals: 4;

type
  general: 0 .. generals - 1;        -- 0 commands
  lieutenant: 1 .. generals - 1;
  order: 0 .. 1;

var
  traitor: general;
  given: order;                      -- what a loyal commander says
  heard: array [lieutenant] of order;
  told: array [lieutenant] of array [lieutenant] of order;   -- by the second, to the first

-- Orders first, then messages, each kind from the smallest to the largest number: the order makes no difference.
function all_heard(before: 1 .. generals): boolean;
begin
  return forall l: lieutenant do l < before -> !isundefined(heard[l]) end;
end;

function all_told(listener: lieutenant; before: 1 .. generals): boolean;
begin
  return forall l: lieutenant do forall m: lieutenant do
    l != m & (l < listener | l = listener & m < before) -> !isundefined(told[l][m])
  end end;
end;

function complete(): boolean;
begin
  return all_heard(generals) & all_told(generals - 1, generals);
end;

function decision(l: lieutenant): order;
var attack: 0 .. generals;
begin
  attack := heard[l];
  for m: lieutenant do
    if m != l then attack := attack + told[l][m]; end;
  end;
  return 2 * attack > generals - 1 ? 1 : 0;
end;

procedure begin_with(t: general; o: order);
begin
  traitor := t;
  given := o;
  undefine heard;
  undefine told;
end;

ruleset t: general; o: order do
  startstate begin
    begin_with(t, o);
  end;

  rule "another day" complete() ==>
    begin_with(t, o);
  end;
end;

ruleset l: lieutenant; said: order do
  rule "command" isundefined(heard[l]) & all_heard(l) & (traitor != 0 -> said = given) ==>
    heard[l] := said;
  end;

  ruleset m: lieutenant do
    rule "pass on"
      l != m & all_heard(generals) & isundefined(told[l][m]) & all_told(l, m) & (traitor != m -> said = heard[m]) ==>
      told[l][m] := said;
    end;
  end;
end;

invariant "all who are loyal do the same"
  complete() -> forall l: lieutenant do forall m: lieutenant do
    l != traitor & m != traitor -> decision(l) = decision(m)
  end end;

invariant "and what a loyal commander says"
  complete() & traitor != 0 -> forall l: lieutenant do l != traitor -> decision(l) = given end;
