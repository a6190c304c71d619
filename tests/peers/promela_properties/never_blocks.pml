/* never_0 -a: holds */
byte x; active proctype P() { do :: x < 4 -> x++ :: else -> break od }
never { do :: x < 3 od; accept: do :: true od }
