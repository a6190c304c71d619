/* 25 states, 38 transitions, ok */
byte x; active [2] proctype P() { atomic { x++; if :: x > 1 -> goto out :: else fi; x = 0 }; x = 3; out: atomic { x = 5; x = 0 } }
