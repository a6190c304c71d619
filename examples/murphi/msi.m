-- Cache coherence on a bus: every cache sees what the others ask for. A line is invalid, shared by readers, or
-- modified by one writer, which has the only valid copy. Who writes must first make the others forget theirs: with
-- `forgets` set they are not told, and read a value of the past.
--
-- topic: cache coherence
-- check:
-- expect: holds
-- check: -D forgets=1
-- expect: violated in 2 steps
-- states: 28  transitions: 252  deadlocks: 0

const
  caches: 3;
  forgets: 0;

type
  cache: scalarset(caches);
  value: 0 .. 1;
  status: enum { invalid, shared, modified };

var
  line: array [cache] of record status: status; data: value; end;
  memory: value;
  latest: value; -- what was written last, by anybody

-- The owner of a modified line answers instead of the memory, and brings that up to date.
procedure write_back();
begin
  for c: cache do
    if line[c].status = modified then
      memory := line[c].data;
      line[c].status := shared;
    end;
  end;
end;

startstate begin
  for c: cache do
    line[c].status := invalid;
    undefine line[c].data;
  end;
  memory := 0;
  latest := 0;
end;

ruleset c: cache do
  rule "read" line[c].status = invalid ==> begin
    write_back();
    line[c].status := shared;
    line[c].data := memory;
  end;

  ruleset v: value do
    rule "write" true ==> begin
      write_back();
      if forgets = 0 then
        for other: cache do
          if other != c then
            line[other].status := invalid;
            undefine line[other].data;
          end;
        end;
      end;
      line[c].status := modified;
      line[c].data := v;
      latest := v;
    end;
  end;

  rule "evict" line[c].status != invalid ==> begin
    if line[c].status = modified then
      memory := line[c].data;
    end;
    line[c].status := invalid;
    undefine line[c].data;
  end;
end;

invariant "a writer is alone"
  forall c: cache do forall d: cache do
    c != d & line[c].status = modified -> line[d].status = invalid
  end end;

invariant "whoever can read reads what was written last"
  forall c: cache do line[c].status != invalid -> line[c].data = latest end;
