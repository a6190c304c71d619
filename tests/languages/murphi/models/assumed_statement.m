-- check:
-- expect: holds 3 4
-- An assumption inside of a rule that is violated undoes the firing: it does not even count.
var x: 0..5;
startstate begin x := 0; end;
rule "up" begin x := x + 1; assume x < 3; end;
rule "down" x > 0 ==> begin x := x - 1; end;
