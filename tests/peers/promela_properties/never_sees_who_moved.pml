/* never_0 -a: violated */
byte x; active proctype P() { x++ } active proctype Q() { x++ }
never { do :: true :: _last == 1 && x == 1 -> break od }
