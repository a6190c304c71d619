/* 24 states, 33 transitions, ok */
byte x; active proctype P() { { { x = 1; x = 2; x = 3 } unless { x == 7; x = 10 } } unless { x >= 7; x = 20 } } active proctype Q() { x = 7; x = 8 }
