-- check: --invariant 'x < 4' --invariant 'state[p_1] = idle -> x = 0'
-- expect: violated x < 4: `x < 4` is false
-- Expressions of the command line name elements of a scalarset; -D gives constants.
const limit: 4;
type p: scalarset(2); s: enum {idle, busy};
var x: 0..limit; state: array [p] of s;
startstate begin x := 0; for i: p do state[i] := idle; end; end;
ruleset i: p do
  rule "work" state[i] = idle ==> begin for j: p do state[j] := busy; end; end;
end;
rule "count" x < limit & forall i: p do state[i] = busy end ==> begin x := x + 1; end;
rule "rest" x = limit ==> begin x := 0; end;
