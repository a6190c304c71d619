-- check:
-- expect: holds 20 75
-- peer: none (rumur has no multisets)
-- Bags of at most three of three values: 1 + 3 + 6 + 10. Sending is possible to the first ten, three values each; each
-- element of each bag can be received: 3 + 2 * 6 + 3 * 10.
type v: 0..2;
var net: multiset [3] of v; y: 0..1;
startstate begin undefine net; y := 0; end;
ruleset x: v do
  rule "send" multisetcount(i: net, true) < 3 ==> begin multisetadd(x, net); end;
end;
choose i: net do
  rule "receive" begin multisetremove(i, net); end;
end;
