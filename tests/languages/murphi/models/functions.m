-- check:
-- expect: holds 96 456
-- Functions and procedures, with parameters by value and by reference, and a return from inside of a loop.
type i: 0..3; r: record v: i; used: boolean; end;
var a: array [i] of r; n: i;
function find(wanted: i): i;
begin
  for k: i do
    if a[k].used & a[k].v = wanted then return k; end;
  end;
  return 0;
end;
procedure swap(var p: r; var q: r);
var t: r;
begin
  t := p; p := q; q := t;
end;
procedure bump(var x: i; by_: i);
begin
  if x + by_ > 3 then x := 0; return; end;
  x := x + by_;
end;
startstate begin for k: i do a[k].v := 3 - k; a[k].used := true; end; n := 0; end;
ruleset k: i do
  rule "swap" find(k) != n ==> begin swap(a[n], a[find(k)]); end;
end;
rule "bump" begin bump(n, 2); end;
rule "next" n < 3 ==> begin n := n + 1; end;
