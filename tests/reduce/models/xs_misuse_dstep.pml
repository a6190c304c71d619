/* violated: a claim that is broken inside of a d_step */
chan q = [2] of { byte };
active proctype P() { xs q; byte x; q!1; end: do :: q?x od }
active proctype S() { d_step { skip; q!2 } }
