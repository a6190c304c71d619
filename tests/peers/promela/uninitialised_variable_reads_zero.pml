/* 4 states, 3 transitions, ok */
byte x; active proctype P() { byte l; int a[2]; x = l + a[1] + 1; _ = x }
