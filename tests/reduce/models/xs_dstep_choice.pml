/* violated: what a claimed channel holds decides which way a d_step takes */
chan q = [2] of { byte };
byte g;
active proctype P() { xs q; q!1; }
active proctype R() { byte y; d_step { g = 0; if :: q?y -> skip :: g = 1; assert(0) fi } }
