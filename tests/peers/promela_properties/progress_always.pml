/* progress -l: holds */
byte x; active proctype P() { do :: x = 1; progress: x = 0 od }
