-- check:
-- expect: violated small: `small` is false
-- The nearest state where an invariant fails; it has a name.
var x: 0..9;
startstate begin x := 0; end;
rule "one" x < 9 ==> begin x := x + 1; end;
rule "two" x < 8 ==> begin x := x + 2; end;
invariant "small" x < 7;
