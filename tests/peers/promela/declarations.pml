/* 57 states, 98 transitions, ok */
byte g = 3; byte h = g + 1; active [2] proctype P() { byte a = g; byte c; g = a + 1; byte d = g; { byte e; e = d; c = e }; g = c }
