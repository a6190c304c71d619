/* 21 states, 32 transitions, ok */
hidden byte h; byte x; active [2] proctype P() { h++; x = 1; h-- }
