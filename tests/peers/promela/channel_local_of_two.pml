/* 79 states, 137 transitions, ok */
chan to = [2] of { chan }; active [2] proctype C() { chan back = [1] of { byte }; byte x; to!back; back?x } active proctype S() { chan c; byte n; do :: n < 2 -> to?c; c!n; n++ :: else -> break od }
