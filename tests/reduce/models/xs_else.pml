/* violated: what a claimed channel holds is seen by an `else` */
chan q = [2] of { byte };
byte g;
active proctype P() { xs q; q!1; }
active proctype R() { byte y; if :: q?y :: else -> assert(0) fi }
