/* before -a: violated */
byte x; active proctype P() { do :: x < 2 -> x++ :: x < 2 -> skip :: x == 2 -> break od }
ltl before { (x < 2) until (x == 2) }
