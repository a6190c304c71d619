/* violated: others can change the variable that a claim is made by */
chan c1 = [1] of { byte }; chan c2 = [1] of { byte };
chan q = [1] of { byte };
byte g, h;
active proctype P() { byte x; xr q; (g == 1); h = 1; q?x; assert(x == 1) }
active proctype S() { q = c1; c2!2; g = 1; (h == 1); c1!1; g = 2 }
active proctype O() { (g == 2); q = c2 }
