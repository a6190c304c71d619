-- check:
-- expect: violated not three: `not three` is false
var x: 0..3;
startstate begin x := 3; end;
rule begin x := 0; end;
invariant "not three" x != 3;
