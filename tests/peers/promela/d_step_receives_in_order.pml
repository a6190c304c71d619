/* 16 states, 30 transitions, end */
mtype = { a, b }; chan c = [0] of { mtype, byte }; byte x, n;
active [2] proctype S() { if :: c!a(1) :: c!b(2) fi; c!a(3) }
active proctype R() { byte y; do :: d_step { if :: c?a,y -> x = y :: c?b,3 -> x = 7 :: c?_,y -> x = y + 4 fi; n++; y = 0 } od }
