/* 10 states, 9 transitions, end */
byte x; active proctype P() { atomic { x = 1; (x == 2); x = 3 } } active proctype Q() { (x == 1); x = 2; x = 4 }
