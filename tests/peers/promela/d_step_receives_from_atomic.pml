/* 15 states, 20 transitions, ok */
chan c = [0] of { byte }; byte x;
active proctype S() { atomic { x = 1; c!5; x = x + 1 } ; c!x }
active proctype R() { byte y; atomic { d_step { c?y; x = x + y }; x = x * 2 }; d_step { c?y; assert(y == x) } }
active proctype O() { x > 4; skip }
