/* 7 states, 8 transitions, ok */
byte x; active [2] proctype P() { atomic { x++; d_step { x++; x++ }; x = 0 } }
