/* 7 states, 8 transitions, ok */
byte x; active [2] proctype P() { d_step { if :: x < 2 -> x = 1 :: x = 5 :: else -> x = 7 fi; x++ } }
