/* 19 states, 30 transitions, ok */
byte a[4]; active proctype P() { a[_pid] = _pid } init { a[_pid] = 9; run Q(); assert(_nr_pr >= 2) } proctype Q() { a[_pid] = _pid + 5 }
