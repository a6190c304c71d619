/* violated: what a claimed channel holds decides whether a d_step fails */
chan q = [1] of { byte };
byte g;
active proctype P() { xs q; q!1 }
active proctype R() { byte y; d_step { g = 1; q?y; g = 0 } }
