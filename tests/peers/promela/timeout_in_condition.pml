/* 10 states, 11 transitions, ok */
byte x; active proctype P() { end: do :: timeout && x < 2 -> x++ od } active proctype Q() { (x == 2) || timeout; x = 9 }
