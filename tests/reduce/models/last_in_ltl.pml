/* holds: only the formula asks who has made the last step */
byte a; chan q = [1] of {byte};
active proctype P() { byte l; L: a = 1; q!1 }
ltl p { [] (_last == 0) }
