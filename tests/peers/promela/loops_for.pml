/* 421 states, 800 transitions, ok */
byte x; byte a[3]; active [2] proctype P() { byte i; for (i : 1 .. 2) { x = (x + i) % 4 }; for (i in a) { a[i] = i } }
