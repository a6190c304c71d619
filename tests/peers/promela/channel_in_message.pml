/* 10 states, 11 transitions, ok */
chan to = [1] of { chan, byte }; active proctype C() { chan back = [1] of { byte }; byte x; to!back,3; back?x; assert(x == 4) } active proctype S() { chan c; byte v; to?c,v; c!v + 1 }
