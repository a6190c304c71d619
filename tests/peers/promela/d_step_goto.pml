/* 7 states, 8 transitions, ok */
byte x; active [2] proctype P() { d_step { x = x + 1; again: x = x + 2; if :: x < 9 -> goto again :: else fi; x = 3 } }
