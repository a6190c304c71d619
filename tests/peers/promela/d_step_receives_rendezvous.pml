/* 17 states, 17 transitions, end */
chan c = [0] of { byte }; byte x;
active proctype S() { c!2; c!3 }
active proctype T() { c!1 }
active proctype R() { byte y, i; do :: d_step { c?y; do :: i < y -> i++; x = x + i :: else -> break od; i = 0 } :: x > 3 -> break od; c?eval(1) }
