/* 683 states, 692 transitions, ok */
byte x, y; active proctype P() { select (x : 1 .. 4); y = x; select (x : 0 .. y); select (x : 1 .. 40) }
