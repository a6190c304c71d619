/* stays -a: holds */
byte x; active proctype P() { x = 1; x = 2 }
ltl stays { <> [] (x == 2) }
