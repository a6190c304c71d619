/* never_0 -a: violated */
byte x; active proctype P() { do :: x = 1 - x od }
never { do :: true :: np_ -> break od; accept: do :: np_ od }
