/* 18 states, 24 transitions, ok */
chan a = [1] of { byte }; chan b = [0] of { byte }; proctype S(chan c; byte v) { c!v } init { byte x; run S(a, 1); run S(b, 2); b?x; a?x }
