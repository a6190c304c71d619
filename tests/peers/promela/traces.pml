/* 44 states, 66 transitions, assertion */
mtype = { m, n }; chan p = [2] of { mtype }; chan q = [2] of { mtype }; active proctype S() { p!m; q!n; p!m; q!m } active proctype R() { mtype x; do :: p?x :: q?x :: timeout -> break od } trace { do :: p!m; q?n od }
