/* 19 states, 18 transitions, ok */
typedef M { byte a; bit b }; chan q = [3] of { M }; byte sum; active proctype P() { M m; m.a = 1; q!m; m.a = 2; q!m; for (m in q) { sum = sum + m.a }; assert(sum == 3) }
