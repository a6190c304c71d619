-- check:
-- expect: holds 200 200
-- More values than are written out one by one.
type big: 0..199;
var a: array [big] of boolean; n: big;
startstate begin for i: big do a[i] := i % 2 = 0; end; n := 0; end;
rule "next" n < 199 ==> begin n := n + 1; a[n] := true; end;
rule "over" n = 199 & forall i: big do a[i] end ==> begin n := 0; for i: big do a[i] := exists j: big do j = i & j % 2 = 0 end; end; end;
invariant exists i: big do a[i] end
