/* 13 states, 14 transitions, ok */
chan z = [0] of { byte }; active proctype S() { z!1; z!2; z!3 } active [2] proctype R() { byte x; end: do :: z?x od }
