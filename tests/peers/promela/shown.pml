/* 9 states, 8 transitions, ok */
mtype = { red, green }; show byte x; local byte y; mtype m; active proctype P() { x = 'A'; assert(x == 65); m = green; printm(m); printf("%e", m); y = x - 64; y = y + skip }
