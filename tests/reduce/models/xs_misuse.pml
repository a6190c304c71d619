/* violated: a claim that is broken by another sender */
chan q = [1] of { byte }; byte g;
active proctype P() { xs q; q!1 }
active proctype R() { q!2; g = 1 }
active proctype S() { byte y; q?y; assert(y != 2 || g != 0); q?y }
