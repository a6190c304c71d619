-- check:
-- expect: holds 4 4
-- Local variables start undefined at each firing, and are not part of the state.
var x: 0..3;
startstate var t: 0..3; begin t := 2; x := t; end;
rule
  var t: 0..3; a: array [0..2] of 0..3; r: record p: boolean end;
begin
  assert isundefined(t) & isundefined(a[1]) & isundefined(r.p);
  t := x; a[x % 3] := t; r.p := a[x % 3] = 3;
  if r.p then x := 0 else x := x + 1 end;
end;
