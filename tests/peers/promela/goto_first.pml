/* 5 states, 5 transitions, ok */
byte x; active proctype P() { goto a; x = 1; a: x = 2 } init { a: if :: x > 0 -> goto a :: x == 2 fi }
