/* 21 states, 32 transitions, ok */
byte x; active [2] proctype P() { atomic { x++; mid: x = (x + 1) % 4; x++ }; if :: x > 3 -> goto mid :: x < 4 fi; skip }
