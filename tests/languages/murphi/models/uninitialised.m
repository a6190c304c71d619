-- check:
-- expect: holds 8 14
-- What no startstate sets is undefined, and undefined is a value like others in a state.
var a, b: boolean; c: 0..2;
startstate begin a := true; end;
rule "set b" isundefined(b) ==> begin b := a; end;
rule "count" begin if isundefined(c) then c := 0 else c := (c + 1) % 3 end; end;
rule "forget" !isundefined(c) & c = 2 ==> begin undefine b; end;
