/* violated: that a claimed channel is full is seen by an `unless` */
chan q = [1] of { byte };
byte g;
active proctype R() { byte y; xr q; q?y; q?y }
active proctype S() { q!1; { g = 1; assert(0) } unless { q!2 } }
