-- check:
-- expect: holds 14 34
-- A record or an array is copied whole, its undefined parts as well.
type r: record a: 0..3; b: array [boolean] of boolean; end;
var x, y: r; n: 0..1;
startstate begin x.a := 1; x.b[true] := false; n := 0; end;
rule "copy" begin y := x; n := 1 - n; end;
rule "change" !isundefined(y.a) ==> begin y.b[false] := true; end;
rule "compare" isundefined(y.b[false]) ==> begin x.a := 2; end;
