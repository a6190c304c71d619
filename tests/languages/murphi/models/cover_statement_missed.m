-- check:
-- expect: violated cover is three: no run comes there
var x: 0..3;
startstate begin x := 0; end;
rule begin x := (x + 1) % 3; cover "is three" x = 3; end;
