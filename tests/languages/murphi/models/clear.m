-- check:
-- expect: holds 3 3
-- `clear` sets the smallest value of each leaf.
type t: record r: 3..5; e: enum {A, B}; a: array [0..1] of -2..2; b: boolean; end;
var v: t; n: 0..2;
startstate begin clear v; n := 0; end;
rule begin
  assert v.r = 3 & v.e = A & v.a[0] = -2 & v.a[1] = -2 & !v.b;
  n := (n + 1) % 3;
  undefine v.a;
  assert isundefined(v.a[0]) & isundefined(v.a[1]);
  clear v.a;
end;
