/* 16 states, 22 transitions, ok */
byte x; active [2] proctype P() { byte i; atomic { do :: i < 3 -> i++; x++ :: else -> break od }; x = 0 }
