-- check:
-- expect: holds 27 54
-- The index of an alias and of a `var` argument is evaluated once, on entry.
type i: 0..2;
var a: array [i] of 0..5; n: i;
procedure set(var x: 0..5; v: 0..5);
begin
  n := (n + 1) % 3;
  x := v;
end;
startstate begin for k: i do a[k] := 0 end; n := 0; end;
rule "alias" begin
  alias x: a[n]; do
    n := (n + 1) % 3;
    x := n;
  end;
end;
rule "call" begin set(a[n], 3); end;
