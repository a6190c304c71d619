/* 29 states, 35 transitions, ok */
chan q = [2] of { byte }; byte x; active proctype S() { q!1; q!2; q!3 } active proctype R() { byte y; do :: q?[2] -> q?y :: q??[1] && len(q) > 1 -> q?y; x = y :: full(q) -> x = 9; q?y :: timeout -> break od }
