-- check:
-- expect: holds 64 320
-- Bitwise operators and shifts on numbers; a shift by a negative number goes the other way.
var x: 0..63;
startstate begin x := 1; end;
rule "left" x < 32 ==> begin x := x << 1; end;
rule "right" begin x := x >> 1; end;
rule "or" begin x := x | 5; end;
rule "and" begin x := x & 38; end;
rule "xor" begin x := x ^ 3; end;
rule "back" x < 32 ==> begin x := x >> -1; end;
