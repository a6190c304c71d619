-- check:
-- expect: holds 8 22
-- States that violate an assumption of the model are dropped, after the rule was fired.
var x: 0..5; y: 0..1;
startstate begin x := 0; y := 0; end;
rule "up" x < 5 ==> begin x := x + 1; end;
rule "down" x > 0 ==> begin x := x - 1; end;
rule "turn" begin y := 1 - y; end;
assume x != 4
invariant x < 4
