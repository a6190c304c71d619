-- check:
-- expect: violated deadlock: no step is possible
-- So that a state in which every rule is undone is a deadlock.
var x: 0..5;
startstate begin x := 0; end;
rule "up" begin x := x + 1; assume x < 3; end;
