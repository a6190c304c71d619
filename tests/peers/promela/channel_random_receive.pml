/* 20 states, 26 transitions, ok */
chan q = [3] of { byte, byte }; active proctype S() { q!1,1; q!2,2; q!1,3 } active proctype R() { byte y; do :: q??2,y :: q??1,y :: timeout -> break od }
