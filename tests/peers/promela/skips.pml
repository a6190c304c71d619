/* 180 states, 349 transitions, ok */
byte x; active [2] proctype P() { if :: skip; skip; skip; x = 1; skip; skip :: skip; printf("a"); skip; skip; x = 2 fi; skip; skip; x = 3 }
