/* never_0 -a: violated */
byte x; active proctype P() { do :: x = 1 - x od }
never { do :: true :: x == 1 -> goto accept od; accept: do :: true od }
