/* 13 states, 18 transitions, ok */
byte x, y; active [2] proctype P() { atomic { x++; y++; x-- }; assert(x == 0) }
