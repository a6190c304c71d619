-- check:
-- expect: holds 65 128
-- symmetric: 5 14
-- A lock that is handed from one process to the next: pointers from process to process.
const n: 4;
type p: scalarset(n); s: enum {idle, waiting, critical};
var state: array [p] of s; next: array [p] of p; tail: p;
startstate begin for i: p do state[i] := idle; end; end;
ruleset i: p do
  rule "ask" state[i] = idle ==> begin
    state[i] := isundefined(tail) ? critical : waiting;
    if !isundefined(tail) then next[tail] := i; end;
    tail := i;
  end;
  rule "leave" state[i] = critical ==> begin
    state[i] := idle;
    if isundefined(next[i]) then undefine tail; else state[next[i]] := critical; undefine next[i]; end;
  end;
end;
invariant "exclusive" forall i: p do forall j: p do i = j | !(state[i] = critical & state[j] = critical) end end;
