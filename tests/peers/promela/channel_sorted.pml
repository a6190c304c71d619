/* 18 states, 21 transitions, ok */
chan q = [3] of { byte, byte }; active proctype S() { q!!2,1; q!!1,9; q!!2,0 } active proctype R() { byte x, y; q?x,y; q?x,y; q?x,y }
