/* 5 states, 4 transitions, ok */
byte x; active D_proctype P() { x++; if :: x < 3 -> x = 5 :: else fi }
