/* never_0 -a: violated */
byte x; active proctype P() { x == 1; x = 2 } active proctype Q() { x = 1 }
never { do :: true :: enabled(0) && x == 1 -> break od }
