/* 8 states, 8 transitions, assertion */
mtype = { m, n }; chan p = [2] of { mtype }; active proctype S() { p!m; p!n } active proctype R() { mtype x; p?x; p?x } notrace { p!m; p?m; p!n }
