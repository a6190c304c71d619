/* acceptance -a: violated */
byte x; active proctype P() { do :: x = 1; accept: x = 0 od }
