/* 6 states, 7 transitions, end */
chan q = [1] of { byte }; active proctype S() { q!1; q!2 } active proctype R() { skip }
