/* 23 states, 26 transitions, ok */
byte x; active proctype P() { do :: x < 2 -> x++ :: timeout -> break od } active proctype Q() { timeout; x = 0 }
