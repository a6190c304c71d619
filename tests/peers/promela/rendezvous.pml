/* 12 states, 13 transitions, end */
chan z = [0] of { byte, byte }; byte got; active proctype S() { z!1,7; z!2,8 } active proctype R() { byte x; z?1,x; got = x; z?2,x } active proctype T() { byte y; z?eval(2),y; got = y }
