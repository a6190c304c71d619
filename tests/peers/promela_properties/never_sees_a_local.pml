/* never_0 -a: violated */
active proctype P() { byte y; y = 3; y = 5; y = 0 }
never { do :: true :: P[0]:y == 5 -> break od }
