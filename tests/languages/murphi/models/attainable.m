-- check:
-- expect: holds 6 6
-- From every state a state with x = 0 can be reached.
var x: 0..5;
startstate begin x := 3; end;
rule "down" x > 0 ==> begin x := x - 1; end;
rule "start" x = 0 ==> begin x := 5; end;
liveness "empty" x = 0
