-- check:
-- expect: violated assertions: `x + 1` is out of the range 0 .. 3
-- A startstate can fail, too.
var x: 0..3;
startstate begin x := 3; x := x + 1; end;
rule begin x := 0; end;
