-- check:
-- expect: violated deadlock: every step leads back
-- Rules that change nothing are fired and counted; where all do that, the state is a deadlock.
var x: 0..3;
startstate begin x := 0; end;
rule "step" x < 3 ==> begin x := x + 1; end;
rule "stay" begin x := x; end;
