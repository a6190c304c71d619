-- Has everybody finished? Machines on a ring work, finish, and may be set to work again by a message of one that
-- works, so asking them one after the other proves nothing. After Dijkstra, Feijen and van Gasteren: a token goes
-- round from machine to machine, each keeps it until it has finished, and a machine that has sent work to one that the
-- token has already left behind marks itself, and the token in turn. Only a token that comes home without a mark says
-- that all have finished.
--
-- topic: distributed algorithms
-- check:
-- expect: holds
-- check: -D marks=0
-- expect: violated in 6 steps
-- states: 670  transitions: 5651  deadlocks: 0

const
  machines: 4;
  marks: 1;

type
  machine: 0 .. machines - 1;

var
  works: array [machine] of boolean;
  marked: array [machine] of boolean;
  token: machine;          -- who has it
  token_marked: boolean;

function all_finished(): boolean;
begin
  return token = 0 & !token_marked & !marked[0] & !works[0];
end;

ruleset m: machine do
  startstate begin
    for i: machine do
      works[i] := i = m;
      marked[i] := false;
    end;
    token := 0;
    token_marked := true;
  end;

  rule "finish" works[m] ==>
    works[m] := false;
  end;

  ruleset other: machine do
    rule "send work" works[m] & other != m ==>
      works[other] := true;
      if other > m & marks = 1 then
        marked[m] := true;
      end;
    end;
  end;

  rule "pass the token" m > 0 & token = m & !works[m] ==>
    token := m - 1;
    token_marked := token_marked | marked[m];
    marked[m] := false;
  end;
end;

-- A round that came back with a mark has to be made again.
rule "ask again" token = 0 & !works[0] & (token_marked | marked[0]) ==>
  token := machines - 1;
  token_marked := false;
  marked[0] := false;
end;

rule "more work from outside" all_finished() ==>
  works[0] := true;
  token_marked := true;
end;

invariant "nobody is forgotten" all_finished() -> forall m: machine do !works[m] end;
