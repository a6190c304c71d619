/* 11 states, 11 transitions, ok */
byte x; active proctype P() { d_step { (x > 0); x = x + 5 } } active proctype Q() { x = 1; x = 2 }
