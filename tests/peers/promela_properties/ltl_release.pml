/* kept -a: violated */
byte x; active proctype P() { x = 1; x = 2 }
ltl kept { (x == 1) V (x == 0) }
