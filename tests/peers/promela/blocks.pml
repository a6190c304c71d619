/* 153 states, 280 transitions, ok */
byte x; active [2] proctype P() { x++; { x++; { do :: x < 5 -> x++ :: x > 2 -> break od }; x = 0 } }
