/* 24 states, 29 transitions, ok */
chan q = [2] of { byte }; byte x; active proctype S() { q!1; q!2 } active proctype R() { byte y; nempty(q); q?y; if :: empty(q) -> x = 1 :: nempty(q) -> x = 2 fi; nfull(q); x = len(q) }
