/* never_0 -a: violated */
byte x; active proctype P() { do :: x < 4 -> x++ :: else -> break od }
never { do :: x != 3 :: x == 3 -> break od }
