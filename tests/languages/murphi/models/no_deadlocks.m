-- check: --deadlock off
-- expect: holds 4 3
var x: 0..3;
startstate begin x := 0; end;
rule "step" x < 3 ==> begin x := x + 1; end;
