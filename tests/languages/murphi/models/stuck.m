-- check: --deadlock stuck
-- expect: holds 4 7
-- As before, but only a state without any enabled rule is a deadlock: there is none.
var x: 0..3;
startstate begin x := 0; end;
rule "step" x < 3 ==> begin x := x + 1; end;
rule "stay" begin x := x; end;
