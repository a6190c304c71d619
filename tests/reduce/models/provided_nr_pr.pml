/* violated: the death of a process is seen by a `provided` clause */
byte g;
active proctype A() provided (_nr_pr == 3) { end: g = 1; assert(0) }
active proctype B() { end: (g == 5) }
active proctype C() { byte l; l = 1; l = 2; l=3 }
