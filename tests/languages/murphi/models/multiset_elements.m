-- check:
-- expect: holds 10 320
-- peer: none (rumur has no multisets)
-- A bag of two, each of which has one of three values or none: 4 * 5 / 2. Either can be given three values in five ways,
-- and none in one: 10 * 2 * 16. However an element is changed, the bag is sorted after the step.
type v: 0..2; e: record n: v; end;
var bag: multiset [2] of e;
procedure set(var n: v; x: v); begin n := x; end;
procedure set_below(var n: v; x: v; depth: 0..1);
begin if depth = 0 then n := x; else set_below(n, x, depth - 1); end; end;
startstate var r: e; begin undefine bag; undefine r; multisetadd(r, bag); multisetadd(r, bag); end;
choose i: bag do
  ruleset x: v do
    rule "by its name" begin bag[i].n := x; end;
    rule "by an alias" begin alias a: bag[i] do a.n := x; end; end;
    rule "by a reference" begin set(bag[i].n, x); end;
    rule "by recursion" begin set_below(bag[i].n, x, 1); end;
    rule "as a record" var r: e; begin r.n := x; bag[i] := r; end;
  end;
  rule "undefine" begin undefine bag[i]; end;
end;
