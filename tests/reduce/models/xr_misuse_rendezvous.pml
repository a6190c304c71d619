/* violated: a claim on a rendezvous that is broken by another receiver */
chan q = [0] of { byte };
active proctype P() { byte x; xr q; end: do :: q?x od }
active proctype R() { byte y; end: do :: q?y od }
active proctype S() { q!1 }
