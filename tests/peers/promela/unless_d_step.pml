/* 29 states, 40 transitions, ok */
byte x; active [2] proctype P() { { d_step { x++; x++; x++ }; x = 9 } unless { x == 3; x = 0 } }
