/* answered -a: holds */
byte asked, told; active proctype P() { do :: asked = 1; told = 1; asked = 0; told = 0 od }
ltl answered { always ((asked == 1) implies (eventually (told == 1))) }
