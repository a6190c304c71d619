/* 22 states, 26 transitions, end */
byte x; active proctype P() { byte l; a: l = 1; b: l = 2; c: x = l } active proctype Q() { (P@b); x = P:l; (P[0]@c) -> x = 7 }
