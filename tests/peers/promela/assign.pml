/* 5 states, 4 transitions, ok */
byte x; active proctype P() { x = 1; x = x + 255; x = 7 }
