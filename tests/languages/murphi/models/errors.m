-- check:
-- expect: violated assertions: three
var x: 0..3;
startstate begin x := 0; end;
rule "step" x < 3 ==> begin x := x + 1; if x = 3 then error "three"; end; end;
