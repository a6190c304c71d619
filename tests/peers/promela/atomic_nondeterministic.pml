/* 28 states, 76 transitions, ok */
byte x; active [2] proctype P() { atomic { if :: x = 1 :: x = 2 :: skip fi; if :: x > 1 -> x = 0 :: x++ fi } }
