-- check:
-- expect: holds 28 111
-- symmetric: 9 41
-- peer: none (rumur has no multisets)
-- Bags of at most two bags of two of three values: 1 + 6 + 21, whatever the order in which the values came. Pairs can be
-- added to the first seven, nine each; each of 6 + 2 * 21 can be removed. With all values alike there are one bag of
-- none, two of one and six of two, and 3 * 9 + 2 + 2 * 6 steps.
type v: scalarset(3); pair: record of_: multiset [2] of v; end;
var bag: multiset [2] of pair;
startstate begin undefine bag; end;
ruleset x: v; y: v do
  rule "add" multisetcount(i: bag, true) < 2 ==>
    var p: pair; begin undefine p; multisetadd(x, p.of_); multisetadd(y, p.of_); multisetadd(p, bag); end;
end;
choose i: bag do
  rule "remove" begin multisetremove(i, bag); end;
end;
