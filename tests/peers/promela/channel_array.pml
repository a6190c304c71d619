/* 54 states, 107 transitions, ok */
chan q[3] = [1] of { byte }; active [3] proctype P() { byte x; q[(_pid + 1) % 3]!_pid; q[_pid]?x; assert(x == (_pid + 2) % 3) }
