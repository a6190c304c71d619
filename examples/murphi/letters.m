-- Letters in a bag: two writers number their letters 0 and 1 by turns, the post delivers them in any order, and the
-- reader expects the numbers of each writer by turns as well. That is only right as long as no letter overtakes another.
--
-- topic: communication protocols
-- check:
-- expect: violated "in order": `in order` is false
-- states: 64  transitions: 128  deadlocks: 24

const
  room: 3;

type
  writer: scalarset(2);
  bit: 0 .. 1;
  letter: record from: writer; number: bit; end;

var
  post: multiset [room] of letter;
  written, read: array [writer] of bit;
  confused: boolean;

procedure deliver(var l: letter);
begin
  alias expected: read[l.from] do
    confused := l.number != expected;
    expected := 1 - expected;
  end;
end;

startstate begin
  undefine post;
  clear written;
  clear read;
  confused := false;
end;

ruleset w: writer do
  rule "write" multisetcount(i: post, true) < room & !confused ==>
    var l: letter;
  begin
    l.from := w;
    l.number := written[w];
    written[w] := 1 - written[w];
    multisetadd(l, post);
  end;
end;

choose i: post do
  rule "read" !confused ==> begin
    deliver(post[i]);
    multisetremove(i, post);
  end;
end;

invariant "in order" !confused;
