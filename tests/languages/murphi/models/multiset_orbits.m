-- check:
-- expect: holds 20 75
-- symmetric: 7 26
-- peer: none (rumur has no multisets)
-- The values are all alike: bags differ by how often values occur, so 1, 1, 2 and 3 of the sizes 0 to 3.
-- Four of them have room for a message, from three values; and 1 + 2 * 2 + 3 * 3
-- elements can be received.
type v: scalarset(3); m: record of_: v; end;
var net: multiset [3] of m;
startstate begin undefine net; end;
ruleset x: v do
  rule "send" multisetcount(i: net, true) < 3 ==> var t: m; begin t.of_ := x; multisetadd(t, net); end;
end;
choose i: net do
  rule "receive" begin multisetremove(i, net); end;
end;
