-- check:
-- expect: holds 9 9
-- `!` binds looser than a comparison, `&` tighter than `|`, and division truncates towards zero.
var x: -4..4; b: boolean;
startstate begin x := 0; b := true; end;
rule begin
  assert !x = 1 | b & false | x = 1 "precedence";
  assert -7 / 2 = -3 & -7 % 2 = -1 & 7 / -2 = -3;
  x := x < 4 ? x + 1 : -4;
end;
