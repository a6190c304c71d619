-- check:
-- expect: holds 6913 56454
-- symmetric: 625 5102
-- Two scalarsets, arrays indexed by both, and values of both.
type p: scalarset(3); v: scalarset(2);
var known: array [p] of array [v] of boolean; said: array [p] of v; last: record who: p; what: v; end;
startstate begin for i: p do for x: v do known[i][x] := false; end; end; end;
ruleset i: p; x: v do
  rule "say" isundefined(said[i]) ==> begin said[i] := x; last.who := i; last.what := x; end;
  rule "hear" !isundefined(last.who) & last.who != i ==> begin known[i][last.what] := true; end;
end;
ruleset i: p do rule "forget" !isundefined(said[i]) ==> begin undefine said[i]; end; end;
