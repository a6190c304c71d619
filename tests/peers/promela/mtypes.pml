/* 7 states, 6 transitions, ok */
mtype = { a, b, c }; mtype:other = { d, e }; mtype x; mtype:other y; active proctype P() { x = a; assert(x == 3); y = e; assert(y == 1); x = c }
