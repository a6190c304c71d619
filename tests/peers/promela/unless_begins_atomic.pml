/* 79 states, 152 transitions, ok */
byte x; chan q = [1] of { byte }; active [2] proctype P() { byte y; atomic { { q?y } unless { (x < 9); x = 2 }; x = 0; x = 1 }; { { x = 5; x = 6 } unless { x == 1; x = 7 } } } active proctype Q() { q!1 }
