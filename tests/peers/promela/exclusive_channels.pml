/* 7 states, 6 transitions, ok */
chan q = [1] of { byte }; active proctype S() { xs q; q!1; q!2 } active proctype R() { xr q; byte x; q?x; q?x }
