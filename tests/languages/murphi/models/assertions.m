-- check:
-- expect: violated assertions: two
var x: 0..3;
startstate begin x := 0; end;
rule "step" begin x := x + 1; assert x != 2 "two"; end;
