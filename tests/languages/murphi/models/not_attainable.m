-- check:
-- expect: violated liveness empty: from here no state is reached
-- Once x is 5, it stays above 3.
var x: 0..6;
startstate begin x := 3; end;
rule "up" x < 6 ==> begin x := x + 1; end;
rule "down" x > 0 & x < 5 ==> begin x := x - 1; end;
rule "stay" x = 6 ==> begin x := 5; end;
liveness "empty" x = 0
