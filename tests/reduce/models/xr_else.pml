/* violated: that a claimed channel is full is seen by an `else` */
chan q = [1] of { byte };
active proctype P() { byte x; xr q; end: q?x; q?x }
active proctype S() { q!1; if :: q!2 :: else -> assert(0) fi }
