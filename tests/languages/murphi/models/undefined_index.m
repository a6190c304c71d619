-- check:
-- expect: violated assertions: `x` is undefined
-- So is reading one as an index.
type i: 0..2;
var x: i; a: array [i] of boolean; n: 0..1;
startstate begin for k: i do a[k] := false end; n := 0; end;
rule begin a[x] := true; n := 1 - n; end;
