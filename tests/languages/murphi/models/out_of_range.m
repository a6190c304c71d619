-- check:
-- expect: violated assertions: `x + 1` is out of the range 0 .. 2
-- A value out of the range of its variable is an error, and its state is not stored.
var x: 0..2;
startstate begin x := 0; end;
rule begin x := x + 1; end;
