/* 12 states, 13 transitions, end */
chan q = [2] of { mtype, byte }; mtype = { red, green }; active proctype S() { q!red(3); q!green,4; q!red(5) } active proctype R() { byte x = 4, y; do :: q?red,y :: q?green,eval(x) :: q?_,5 -> break od }
