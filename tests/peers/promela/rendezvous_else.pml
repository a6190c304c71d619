/* 12 states, 11 transitions, ok */
chan z = [0] of { byte }; byte x; active proctype S() { if :: z!1 :: else -> x = 3 fi } active proctype R() { byte y; if :: z?y :: else -> x = 4 fi; end: z?y }
