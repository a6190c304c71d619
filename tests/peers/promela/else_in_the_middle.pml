/* 19 states, 24 transitions, ok */
byte x; active [2] proctype P() { if :: else -> x = 1 :: x > 0 -> x = 2 :: x == 0 -> x = 3 fi }
