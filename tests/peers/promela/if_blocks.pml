/* 25 states, 28 transitions, end */
byte x; active proctype P() { if :: x == 1 -> x = 5 :: x == 2 -> x = 6 fi } active proctype Q() { x = 1; x = 2; x = 3 }
