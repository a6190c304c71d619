-- check:
-- expect: holds 75 225
-- Loops with steps, with bounds that are not constant, and `while`; switches with several labels.
var x: 0..9; s: 0..45;
startstate begin x := 0; s := 0; end;
rule "for" begin
  s := 0;
  for k := 0 to x by 2 do s := s + k; end;
  for k := x to 0 by -3 do s := s > 40 ? s : s + 1; end;
  x := (x + 1) % 10;
end;
rule "while" begin
  s := 0;
  while s * s < x do s := s + 1; end;
end;
rule "switch" begin
  switch x
    case 1, 3, 5: x := x + 1;
    case s: x := 0;
    else x := x = 9 ? 0 : x + 1;
  end;
end;
