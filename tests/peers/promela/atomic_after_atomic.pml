/* 16 states, 22 transitions, ok */
byte x; active [2] proctype P() { atomic { x = 1; x = 2 }; atomic { x = 3; x = 4 } }
