-- check:
-- expect: holds 3 3
-- peer: none (rumur has no word `undefined` for arguments)
-- A parameter may be given `undefined`, to be stored as that.
type t: 0..3;
var x, y: t;
procedure set(a, b: t);
begin
  x := a; y := b;
end;
startstate begin set(1, undefined); end;
rule "one" x = 1 ==> begin assert isundefined(y); set(2, 3); end;
rule "two" x = 2 & y = 3 ==> begin set(3, undefined); end;
rule "three" x = 3 ==> begin set(1, undefined); end;
