/* 31 states, 50 transitions, assertion */
byte x; active [2] proctype P() { x++; assert(x == 1); x = x + 2; atomic { assert(x < 3); x++; assert(x != 6) } }
