/* 2 states, 1 transitions, ok */
chan z = [0] of { byte }; active proctype S() { z!1 } active proctype R() { byte x; end: do :: z?x od } active proctype W() { end_wait: (false) }
