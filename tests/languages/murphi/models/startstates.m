-- check:
-- expect: holds 10 10
-- Several startstates, in a ruleset: those that are the same are one, and none counts as a fired rule.
var x: 0..4; y: 0..1;
ruleset i: 0..4; j: 0..3 do startstate "any" begin x := i; y := j % 2; end; end;
startstate "again" begin x := 2; y := 1; end;
rule "turn" x < 4 ==> begin y := 1 - y; x := x; end;
rule "back" x = 4 ==> begin x := 0; end;
