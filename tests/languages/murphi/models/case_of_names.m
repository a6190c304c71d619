-- check:
-- expect: holds 9 12
-- Keywords are known in any case; names are different if their case is.
VAR x, X: 0..2;
STARTSTATE BEGIN x := 0; X := 0; END;
Rule "small" begin x := (x + 1) % 3; end;
RULE "large" x = 2 ==> Begin X := (X + 1) % 3; EnD;
