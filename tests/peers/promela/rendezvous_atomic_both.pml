/* 34 states, 49 transitions, ok */
chan z = [0] of { byte }; byte t; active proctype S() { atomic { t = 1; z!5; t = 2; t = 3 } } active proctype R() { byte x; atomic { z?x; t = x; t = 7 }; t = 9 } active proctype O() { t = 100 }
