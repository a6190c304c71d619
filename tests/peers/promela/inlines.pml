/* 73 states, 112 transitions, ok */
byte x; inline twice(v, w) { v = v + w; v = v + w } active [2] proctype P() { twice(x, 1); twice(x, 2); x = 0 }
