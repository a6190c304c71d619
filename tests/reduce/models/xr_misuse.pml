/* violated: a claim that is broken by another receiver */
chan q = [1] of { byte };
active proctype P() { byte x; xr q; q?x }
active proctype R() { byte y; q?y; assert(y != 1) }
active proctype S() { q!1; q!2 }
