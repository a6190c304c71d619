-- Consensus among machines of which some may never answer, after Lamport's Paxos. A ballot first asks acceptors for a
-- promise to ignore smaller ballots, and learns what they have voted for. With the promises of a quorum it proposes
-- the value of the largest ballot that it heard of, or any value if there is none. What a quorum votes for is chosen.
--
-- Two quorums have an acceptor in common, and that is the whole secret: with quorums of one, two values are chosen.
-- Messages are never taken away here: any of them may be late, or lost, by never being looked at.
--
-- topic: consensus
-- check:
-- expect: holds
-- check: -D quorum=1
-- expect: violated in 8 steps
-- states: 3921  transitions: 11850  deadlocks: 0

const
  acceptors: 3;
  quorum: 2;
  ballots: 2;

type
  acceptor: scalarset(acceptors);
  value: scalarset(2);
  ballot: 1 .. ballots;
  maybe_ballot: 0 .. ballots;

var
  begun: array [ballot] of boolean;
  proposal: array [ballot] of value;
  promised: array [acceptor] of maybe_ballot;
  last: array [acceptor] of record ballot: maybe_ballot; value: value; end;   -- the last vote
  promise: array [ballot] of array [acceptor] of record given: boolean; ballot: maybe_ballot; value: value; end;
  vote: array [ballot] of array [acceptor] of boolean;

function promises(b: ballot): 0 .. acceptors;
var count: 0 .. acceptors;
begin
  count := 0;
  for a: acceptor do
    if promise[b][a].given then count := count + 1; end;
  end;
  return count;
end;

function votes(b: ballot): 0 .. acceptors;
var count: 0 .. acceptors;
begin
  count := 0;
  for a: acceptor do
    if vote[b][a] then count := count + 1; end;
  end;
  return count;
end;

-- Whether a ballot may propose a value: no promise tells of a larger ballot for another value.
function allowed(b: ballot; v: value): boolean;
begin
  return forall a: acceptor do
    promise[b][a].given & promise[b][a].ballot > 0 & promise[b][a].value != v ->
      exists c: acceptor do
        promise[b][c].given & promise[b][c].ballot > promise[b][a].ballot & promise[b][c].value = v
      end
  end;
end;

procedure restart();
begin
  for b: ballot do
    begun[b] := false;
    undefine proposal[b];
    for a: acceptor do
      promise[b][a].given := false;
      promise[b][a].ballot := 0;
      undefine promise[b][a].value;
      vote[b][a] := false;
    end;
  end;
  for a: acceptor do
    promised[a] := 0;
    last[a].ballot := 0;
    undefine last[a].value;
  end;
end;

startstate begin
  restart();
end;

ruleset b: ballot do
  rule "begin" !begun[b] ==>
    begun[b] := true;
  end;

  ruleset v: value do
    rule "propose" isundefined(proposal[b]) & promises(b) >= quorum & allowed(b, v) ==>
      proposal[b] := v;
    end;
  end;

  ruleset a: acceptor do
    rule "promise" begun[b] & promised[a] < b ==>
      promised[a] := b;
      promise[b][a].given := true;
      promise[b][a].ballot := last[a].ballot;
      if last[a].ballot > 0 then
        promise[b][a].value := last[a].value;
      end;
    end;

    rule "vote" !isundefined(proposal[b]) & promised[a] <= b & !vote[b][a] ==>
      promised[a] := b;
      last[a].ballot := b;
      last[a].value := proposal[b];
      vote[b][a] := true;
    end;
  end;
end;

rule "decide on something else" exists b: ballot do votes(b) >= quorum end ==>
  restart();
end;

invariant "one value is chosen"
  forall b: ballot do forall c: ballot do
    votes(b) >= quorum & votes(c) >= quorum -> proposal[b] = proposal[c]
  end end;
