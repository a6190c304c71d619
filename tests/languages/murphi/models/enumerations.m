-- check:
-- expect: holds 185 740
type colour: enum {red, green, blue}; many: enum {one, two};
const first: red;
var c: colour; m: many; a: array [colour] of array [many] of boolean;
startstate begin c := first; m := one; for k: colour do for l: many do a[k][l] := false; end; end; end;
ruleset k: colour; l: many do
  rule "paint" c != k ==> begin c := k; a[k][l] := true; m := l; end;
end;
invariant a[c][m] | c = first
