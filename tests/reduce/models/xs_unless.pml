/* violated: what a claimed channel holds is seen by an `unless` */
chan q = [2] of { byte };
byte g;
active proctype P() { xs q; q!1; }
active proctype R() { byte y; { g = 1; assert(0) } unless { q?y } }
