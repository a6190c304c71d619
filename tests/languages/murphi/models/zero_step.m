-- check:
-- expect: violated assertions: the step `x` is zero
-- A step that is zero when the loop begins is an error, also where the loop would have nothing to do.
var x: 0..2; y: 0..9;
startstate begin x := 2; y := 0; end;
rule begin
  y := 0;
  for i := 3 to 4 by x do y := y + i; end;
  x := x - 1;
end;
