/* before -a: holds */
byte x; active proctype P() { do :: x < 2 -> x++ :: x < 2 -> skip :: x == 2 -> break od }
ltl before { (x < 2) weakuntil (x == 2) }
