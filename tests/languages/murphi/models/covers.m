-- check:
-- expect: holds 3 3
var x: 0..2;
startstate begin x := 0; end;
rule begin x := (x + 1) % 3; cover "two" x = 2; end;
cover "is one" x = 1
