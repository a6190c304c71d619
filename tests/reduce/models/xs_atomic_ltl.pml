/* violated: what a claimed channel holds decides whether an atomic sequence blocks, which a formula sees */
chan q = [1] of { byte };
byte g;
active proctype P() { xs q; q!1 }
active proctype R() { byte y; atomic { g = 1; q?y; g = 0 } }
ltl p { [] (g == 0) }
