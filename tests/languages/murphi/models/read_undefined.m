-- check:
-- expect: violated assertions: `x` is undefined
-- Reading an undefined value in a guard is an error, not false.
var x: 0..3; y: boolean;
startstate begin y := false; end;
rule "read" x > 1 ==> begin y := true; end;
rule "turn" begin y := !y; end;
