/* never_0 -a: violated */
byte x; active proctype P() { x = 1; here: x = 2 }
never { do :: true :: P[0]@here && pc_value(0) > 0 -> break od }
