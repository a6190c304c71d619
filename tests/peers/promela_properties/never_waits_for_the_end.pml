/* never_0 -a: violated */
byte x; active proctype P() { x = 1; x = 2 }
never { do :: true :: x == 2 -> break od; accept: do :: x == 2 od }
