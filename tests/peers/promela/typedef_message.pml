/* 8 states, 7 transitions, ok */
typedef M { byte k; short v }; chan q = [2] of { M, bit }; active proctype S() { M m; m.k = 300; m.v = -5; q!m,1 } active proctype R() { M m; bit b; q?m,b; assert(m.k == 44 && m.v == -5) }
