/* 179 states, 291 transitions, end */
byte x; active [2] proctype P() { x = (x > 1 -> x - 1 : x + 1); (x == 2 -> true : x == 1); x = ((x & 1) ^ 3) | (x << 1); x = ~x; x = x >> 6; x = -x % 5; x = !x }
