-- check:
-- expect: holds 4 12
-- symmetric: 2 6
-- peer: none (rumur has no unions)
-- A pointer to one of three, or to none: from each of the four values to each other one.
type s: scalarset(3); none: enum {nil}; u: union {s, none};
var p: u; a: array [u] of boolean;
startstate begin p := nil; for k: u do a[k] := ismember(k, s); end; end;
ruleset k: u do
  rule "point" p != k ==> begin p := k; end;
end;
invariant a[p] = (p != nil)
invariant ismember(p, none) = (p = nil)
