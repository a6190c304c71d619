-- check:
-- expect: violated assertions: `x` is zero
var x: 0..2; y: 0..9;
startstate begin x := 2; y := 0; end;
rule begin y := 8 / x; x := x - 1; end;
