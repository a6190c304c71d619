-- check:
-- expect: violated assertions: the step `x` is zero
var x: 0..2; y: boolean;
startstate begin x := 2; y := false; end;
rule begin
  y := exists i := 0 to 4 by x do i = 2 end;
  x := x - 1;
end;
