-- Cache coherence without a bus, after German: a directory at the memory knows who has a copy, and handles one request
-- at a time. Before it grants one cache the right to write, it has all others give up their copies, and waits until
-- each of them has said so. With `hasty` set it only sends the orders and does not wait, which looks right until the
-- network is slow.
--
-- topic: cache coherence
-- check:
-- expect: holds
-- check: --symmetry
-- expect: holds
-- check: -D hasty=1
-- expect: violated in 9 steps
-- states: 25110  transitions: 97848  deadlocks: 0
-- count: --symmetry
-- states: 4525  transitions: 17675

const
  caches: 3;
  hasty: 0;

type
  cache: scalarset(caches);
  status: enum { invalid, shared, exclusive };
  request: enum { nothing, read, write };
  order: enum { none, grant_shared, grant_exclusive, give_up };

var
  at: array [cache] of status;
  asked: array [cache] of request;        -- messages to the directory
  told: array [cache] of order;           -- messages from it
  given_up: array [cache] of boolean;     -- answers to `give_up`
  -- What the directory knows.
  served: cache;                          -- whose request it handles, if any
  kind: request;
  has_copy: array [cache] of boolean;
  to_tell: array [cache] of boolean;      -- who must still be told to give up
  owned: boolean;                         -- one of the copies may be written

startstate begin
  for c: cache do
    at[c] := invalid;
    asked[c] := nothing;
    told[c] := none;
    given_up[c] := false;
    has_copy[c] := false;
    to_tell[c] := false;
  end;
  undefine served;
  kind := nothing;
  owned := false;
end;

ruleset c: cache do
  rule "ask to read" at[c] = invalid & asked[c] = nothing ==>
    asked[c] := read;
  end;

  rule "ask to write" at[c] != exclusive & asked[c] = nothing ==>
    asked[c] := write;
  end;

  rule "take up a request" isundefined(served) & asked[c] != nothing ==>
    served := c;
    kind := asked[c];
    asked[c] := nothing;
    for d: cache do
      to_tell[d] := has_copy[d];
    end;
  end;

  rule "order to give up" !isundefined(served) & to_tell[c] & told[c] = none & (kind = write | owned) ==>
    told[c] := give_up;
    to_tell[c] := false;
  end;

  rule "give up" told[c] = give_up & !given_up[c] ==>
    told[c] := none;
    at[c] := invalid;
    given_up[c] := true;
  end;

  rule "hear that it has" given_up[c] & !isundefined(served) ==>
    given_up[c] := false;
    has_copy[c] := false;
    owned := false;
  end;

  rule "grant reading" !isundefined(served) & served = c & kind = read & !owned & told[c] = none ==>
    told[c] := grant_shared;
    has_copy[c] := true;
    undefine served;
    kind := nothing;
    for d: cache do
      to_tell[d] := false;
    end;
  end;

  rule "grant writing"
    !isundefined(served) & served = c & kind = write & told[c] = none
    & forall d: cache do (hasty = 0 -> !has_copy[d]) & !to_tell[d] end ==>
    told[c] := grant_exclusive;
    has_copy[c] := true;
    owned := true;
    undefine served;
    kind := nothing;
  end;

  rule "get a copy to read" told[c] = grant_shared ==>
    told[c] := none;
    at[c] := shared;
  end;

  rule "get a copy to write" told[c] = grant_exclusive ==>
    told[c] := none;
    at[c] := exclusive;
  end;
end;

invariant "a writer is alone"
  forall c: cache do forall d: cache do
    c != d & at[c] = exclusive -> at[d] = invalid
  end end;
