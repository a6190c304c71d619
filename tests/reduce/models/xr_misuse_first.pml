/* violated: a claim that is broken before anything else happens */
chan q = [1] of { byte };
byte done;
active proctype R() { byte y; q?y; assert(y != 1) }
active proctype S() { q!1; (done == 1); q!2 }
active proctype P() { byte x; xr q; q?x; done = 1 }
