/* 7 states, 8 transitions, ok */
hidden byte h; byte x; active [2] proctype P() { atomic { h = x; x = h + 2; h = 0 } }
