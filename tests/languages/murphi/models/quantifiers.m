-- check:
-- expect: holds 16 30
type i: 0..3;
var a: array [i] of boolean;
startstate begin for k: i do a[k] := false; end; end;
ruleset k: i do
  rule "flip" forall j: i do j < k -> a[j] end ==> begin a[k] := !a[k]; for j: i do if j < k then a[j] := false; end; end; end;
end;
invariant "counts" forall k: i do exists j: i do a[k] -> a[j] end end;
