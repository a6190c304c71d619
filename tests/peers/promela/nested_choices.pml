/* 14 states, 15 transitions, ok */
byte x; active proctype P() { do :: if :: x < 3 -> x++ :: x > 1 -> if :: x == 2 -> x = 0 :: break fi fi :: x > 2 -> break od }
