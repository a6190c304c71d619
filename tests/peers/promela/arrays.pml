/* 13 states, 18 transitions, ok */
byte a[3] = 2; short b[3] = { 1, 2, 7 }; active [2] proctype P() { a[a[0] - 1] = b[0] + 5; b[2] = a[1] }
