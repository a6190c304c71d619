/* 16 states, 19 transitions, ok */
byte sum; proctype C(byte k; bit b) { byte own = k + 1; sum = sum + own + b } init { byte p; p = run C(2, 3); run C(p, 0); (_nr_pr == 1) -> assert(sum == 6) }
