-- A sliding window on both sides: the receiver keeps messages that come too early, and each is acknowledged for
-- itself, so that only what was lost is sent again. The price: there must be twice as many numbers as the window is
-- wide. With one less, the receiver takes a repeated old message for a new one.
--
-- A message or an acknowledgement that is lost is the same as one that was never sent, and everything may be repeated.
--
-- topic: communication protocols
-- check:
-- expect: holds
-- check: -D numbers=3
-- expect: violated in 6 steps
-- states: 504  transitions: 1088  deadlocks: 0

const
  window: 2;
  numbers: 4;
  messages: 2 * numbers; -- enough to tell a message from all others under way

type
  number: 0 .. numbers - 1;
  message: 0 .. messages - 1;
  place: 0 .. window - 1;

var
  oldest: message;                    -- the first that is not acknowledged
  acknowledged: array [place] of boolean;
  data: record number: number; content: message; end;
  answer: number;
  expected: message;                  -- the first that has not come
  kept: array [place] of boolean;     -- what came of those after it

function after(m: message; places: 0 .. window): message;
begin
  return (m + places) % messages;
end;

-- Move a window past all that is done at its beginning.
procedure slide(var start: message; var finished: array [place] of boolean);
begin
  for step: place do
    if finished[0] then
      start := after(start, 1);
      for p: place do
        finished[p] := p < window - 1 ? finished[p + 1] : false;
      end;
    end;
  end;
end;

startstate begin
  oldest := 0;
  clear acknowledged;
  undefine data;
  undefine answer;
  expected := 0;
  clear kept;
end;

ruleset p: place do
  rule "send" !acknowledged[p] & isundefined(data.number) ==>
    data.content := after(oldest, p);
    data.number := data.content % numbers;
  end;
end;

ruleset answers: boolean do
  rule "receive" !isundefined(data.number) & (answers -> isundefined(answer)) ==>
    for p: place do
      if data.number = after(expected, p) % numbers then
        assert data.content = after(expected, p) "an old message is taken for a new one";
        kept[p] := true;
      end;
    end;
    slide(expected, kept);
    if answers then
      answer := data.number;
    end;
    undefine data;
  end;
end;

rule "hear the answer" !isundefined(answer) ==>
  for p: place do
    if answer = after(oldest, p) % numbers then
      acknowledged[p] := true;
    end;
  end;
  slide(oldest, acknowledged);
  undefine answer;
end;
