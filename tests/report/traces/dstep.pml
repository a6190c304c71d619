byte a, b, c;
active proctype P() { d_step { a = 1; b = a + 1; if :: b == 2 -> c = 7 :: else -> c = 9 fi }; assert(c == 9) }
