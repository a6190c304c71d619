-- check:
-- expect: violated assertions: `down` calls itself too often
-- peer: none (rumur's checker crashes)
-- Nine hundred calls within each other are not too many, but those without an end are.
var x: 0..1; y: 0..900;
function down(n: 0..900): 0..900;
begin
  if n = 0 then return 0; end;
  return down(x = 1 ? n : n - 1) + 1;
end;
startstate begin x := 0; y := 0; end;
rule "deep" x = 0 & y = 0 ==> begin y := down(900); end;
rule "endless" y = 900 ==> begin x := 1; y := down(1); end;
