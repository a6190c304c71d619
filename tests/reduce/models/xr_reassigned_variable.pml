/* violated: a claim follows its variable to another channel */
chan c1 = [1] of { byte }; chan c2 = [1] of { byte };
byte g;
active proctype P() { byte x; chan v = c1; xr v; v = c2; g = 1; v?x; v = c1; g = 2 }
active proctype R() { byte y; c2?y; assert(y != 1) }
active proctype S() { (g == 1); c2!1; end: (g == 2); c2!2 }
