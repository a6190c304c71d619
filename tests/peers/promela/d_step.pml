/* 16 states, 22 transitions, ok */
byte x; active [2] proctype P() { byte i; d_step { x < 9; do :: i < 3 -> i++; x = x + i :: else -> break od; i = 0 }; x = 0 }
