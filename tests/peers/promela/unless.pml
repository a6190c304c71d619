/* 29 states, 43 transitions, ok */
byte x; active proctype P() { { x = 1; do :: x < 9 -> x++ :: x == 5 -> break od; x = 20 } unless { x == 4; x = 30 }; x = 40 } active proctype Q() { x = 4 }
