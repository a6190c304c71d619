-- What a processor of today does to your program. Two threads each set a flag of their own, and then look at the
-- other's: not both can find the other flag down, you would think. But a write waits in a buffer for a while before
-- others can see it, and a read of something else goes ahead of it. Only a fence between the two, which waits until
-- the buffer is empty, makes Dekker's and Peterson's algorithms right on such a machine.
--
-- topic: concurrent data structures
-- check:
-- expect: holds
-- check: -D fence=0
-- expect: violated in 5 steps
-- states: 20  transitions: 29  deadlocks: 0

const
  fence: 1;

type
  thread: 0 .. 1;
  place: enum { writing, reading, done };

var
  flag: array [thread] of boolean;      -- in memory
  buffered: array [thread] of boolean;  -- the write is not in memory yet
  at: array [thread] of place;
  saw: array [thread] of boolean;

procedure restart();
begin
  for t: thread do
    flag[t] := false;
    buffered[t] := false;
    at[t] := writing;
    saw[t] := false;
  end;
end;

startstate begin
  restart();
end;

ruleset t: thread do
  rule "write" at[t] = writing ==>
    buffered[t] := true;
    at[t] := reading;
  end;

  rule "drain" buffered[t] ==>
    buffered[t] := false;
    flag[t] := true;
  end;

  rule "read" at[t] = reading & (fence = 1 -> !buffered[t]) ==>
    saw[t] := flag[1 - t];
    at[t] := done;
  end;
end;

rule "once more" forall t: thread do at[t] = done & !buffered[t] end ==>
  restart();
end;

invariant "one of them sees the other"
  (forall t: thread do at[t] = done end) -> exists t: thread do saw[t] end;
