-- Commit in three phases, after Skeen: between the votes and the decision the coordinator tells everybody that all
-- have voted yes. If it crashes, the others find out among themselves: if one of them was told so, nobody can have
-- aborted, and they commit; if none was, nobody can have committed, and they abort. In two phases (`-D phases=2`)
-- those who voted yes know neither, and wait for ever. This takes for granted that a crash can be told from a slow
-- answer.
--
-- topic: commit protocols
-- check:
-- expect: holds
-- check: --symmetry
-- expect: holds
-- check: -D phases=2
-- expect: violated deadlock
-- states: 706  transitions: 2452  deadlocks: 0
-- count: --symmetry
-- states: 177  transitions: 661

const
  participants: 3;
  faults: 2;
  phases: 3;

type
  participant: scalarset(participants);
  place: enum { working, ready, prepared, committed, aborted };
  phase: enum { collecting, preparing, committing, aborting, crashed };

var
  at: array [participant] of place;
  up: array [participant] of boolean;
  coordinator: phase;
  left: 0 .. faults;

function some_up(where: place): boolean;
begin
  return exists p: participant do up[p] & at[p] = where end;
end;

procedure start();
begin
  for p: participant do
    at[p] := working;
    up[p] := true;
  end;
  coordinator := collecting;
  left := faults;
end;

startstate begin
  start();
end;

ruleset p: participant do
  rule "vote yes" up[p] & at[p] = working ==>
    at[p] := ready;
  end;

  rule "vote no" up[p] & at[p] = working ==>
    at[p] := aborted;
  end;

  rule "be prepared" coordinator = preparing & up[p] & at[p] = ready ==>
    at[p] := prepared;
  end;

  rule "be told to commit" coordinator = committing & up[p] & (at[p] = ready | at[p] = prepared) ==>
    at[p] := committed;
  end;

  rule "be told to abort" coordinator = aborting & up[p] & (at[p] = ready | at[p] = working) ==>
    at[p] := aborted;
  end;

  rule "crash" up[p] & left > 0 ==>
    up[p] := false;
    left := left - 1;
  end;

  -- Without a coordinator.
  rule "hear of a commit" coordinator = crashed & up[p] & (at[p] = ready | at[p] = prepared) & some_up(committed) ==>
    at[p] := committed;
  end;

  rule "hear of an abort" coordinator = crashed & up[p] & at[p] = ready & some_up(aborted) ==>
    at[p] := aborted;
  end;

  rule "hear that all voted yes" coordinator = crashed & up[p] & at[p] = ready & some_up(prepared) ==>
    at[p] := prepared;
  end;

  rule "commit together"
    coordinator = crashed & up[p] & at[p] = prepared
    & !some_up(working) & !some_up(ready) & !some_up(aborted) ==>
    at[p] := committed;
  end;

  rule "abort together"
    phases = 3 & coordinator = crashed & up[p] & at[p] = ready
    & !some_up(working) & !some_up(prepared) & !some_up(committed) ==>
    at[p] := aborted;
  end;
end;

rule "all have voted yes" coordinator = collecting & forall p: participant do up[p] & at[p] = ready end ==>
  coordinator := phases = 3 ? preparing : committing;
end;

rule "all are prepared" coordinator = preparing & forall p: participant do !up[p] | at[p] = prepared end ==>
  coordinator := committing;
end;

rule "somebody refuses, or is gone"
  coordinator = collecting & exists p: participant do !up[p] | at[p] = aborted end ==>
  coordinator := aborting;
end;

rule "the coordinator crashes" coordinator != crashed & left > 0 ==>
  coordinator := crashed;
  left := left - 1;
end;

rule "next transaction"
  forall p: participant do !up[p] | at[p] = committed | at[p] = aborted end ==>
  start();
end;

invariant "all or nothing"
  forall p: participant do forall q: participant do !(at[p] = committed & at[q] = aborted) end end;
