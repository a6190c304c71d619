/* 34 states, 49 transitions, ok */
chan z = [0] of { byte }; byte t; active proctype S() { atomic { t = 1; z!5; t = 2; t = 3 } } active proctype R() { byte x; z?x; t = x } active proctype O() { t = 100 }
