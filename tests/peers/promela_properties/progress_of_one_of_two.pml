/* progress -l: violated */
byte x, y; active proctype P() { do :: x = 1; progress: x = 0 od } active proctype Q() { do :: y = 1 - y od }
