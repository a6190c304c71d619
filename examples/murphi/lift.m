-- A lift that serves three floors. It may not move with its doors open, stops where it is called, and can always come to
-- each floor: that is what `liveness` asks for here, that each floor can be reached from every state.
--
-- topic: controllers
-- check:
-- expect: holds
-- states: 69  transitions: 158  deadlocks: 0

const
  top: 2;

type
  floor: 0 .. top;
  direction: enum { up, down };

var
  lift: record at: floor; moving: direction; open: boolean; end;
  called: array [floor] of boolean;

function wanted(f: floor; d: direction): boolean;
begin
  for g: floor do
    if called[g] & (d = up ? g > f : g < f) then
      return true;
    end;
  end;
  return false;
end;

startstate begin
  clear lift;
  clear called;
end;

ruleset f: floor do
  rule "call" !called[f] & !(lift.at = f & lift.open) ==>
    called[f] := true;
  end;

  liveness "comes" lift.at = f & lift.open
end;

rule "open" !lift.open & called[lift.at] ==>
  lift.open := true;
  called[lift.at] := false;
end;

rule "close" lift.open ==>
  lift.open := false;
end;

rule "move" !lift.open & !called[lift.at] & wanted(lift.at, lift.moving) ==>
  assert lift.moving = up -> lift.at < top "above the roof";
  lift.at := lift.moving = up ? lift.at + 1 : lift.at - 1;
end;

rule "turn" !lift.open & !wanted(lift.at, lift.moving) & !called[lift.at] & wanted(lift.at, lift.moving = up ? down : up) ==>
  lift.moving := lift.moving = up ? down : up;
end;

rule "rest" !lift.open & forall f: floor do !called[f] end ==>
end;

invariant "where a door is open nobody calls" lift.open -> !called[lift.at];
