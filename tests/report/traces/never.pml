byte x;
active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 2 od }
never { T0: do :: true :: x == 3 -> goto accept od; accept: do :: x >= 2 od }
