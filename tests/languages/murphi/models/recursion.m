-- check:
-- expect: holds 56 560
-- A function and a procedure that call themselves.
var x: 0..21; y: 0..8;
function fibonacci(n: 0..8): 0..21;
begin
  if n < 2 then return n; end;
  return fibonacci(n - 1) + fibonacci(n - 2);
end;
procedure count(var t: 0..8; n: 0..8);
begin
  if n > 0 then
    t := t + 1;
    count(t, n - 1);
  end;
end;
startstate begin x := 0; y := 0; end;
ruleset k: 0..8 do
  rule "fibonacci" begin x := fibonacci(k); end;
end;
rule "count" begin y := 0; count(y, x % 9); end;
