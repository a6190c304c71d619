/* 5 states, 4 transitions, ok */
chan z = [0] of { bit, byte, short }; active proctype S() { z!2,257,65537 } active proctype R() { byte a; short b; int c; z?a,b,c; assert(a == 0 && b == 1 && c == 1) }
