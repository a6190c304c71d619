/* never_0 -a: holds */
byte x; active proctype P() { do :: x < 3 -> x++ od }
never { do :: ! timeout :: timeout -> break od }
