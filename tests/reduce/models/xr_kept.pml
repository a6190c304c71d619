/* holds: claims that are kept, also when who has claimed is gone */
chan q = [1] of { byte };
byte gone;
active proctype S() { xs q; q!1; q!2; (gone == 1); q!3 }
proctype R() { byte y; xr q; q?y; q?y; gone = 1 }
init { byte y; run R(); (_nr_pr == 2); q?y }
