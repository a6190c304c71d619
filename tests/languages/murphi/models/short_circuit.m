-- check:
-- expect: holds 13 26
-- The right side of `&`, `|`, `->` and the branches of `?:` are only evaluated where they are needed.
var x: 0..2; y: 0..3;
startstate begin y := 0; end;
rule "and" !isundefined(x) & x > 0 ==> begin x := x - 1; y := (y + 1) % 4; end;
rule "or" isundefined(x) | x = 0 ==> begin x := 2; end;
rule "implies" !isundefined(x) -> x < 3 ==> begin y := isundefined(x) ? 0 : (y < 3 ? y + 1 : 0); end;
