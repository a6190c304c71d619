/* 15 states, 18 transitions, ok */
byte x; active proctype P() { { atomic { x = 1; x = 2; (x == 3); x = 4 } } unless { x == 2; x = 10 } } active proctype Q() { x = 3 }
