-- check:
-- expect: violated cover is three: it is true in no reachable state
var x: 0..3;
startstate begin x := 0; end;
rule begin x := (x + 1) % 3; end;
cover "is three" x = 3
