/* 11 states, 10 transitions, ok */
bit b; byte y = 255; short s = 32767; unsigned u : 3 = 7; bit r[2]; int i;
active proctype P() { b = 2; y++; s++; u++; r[1] = 3; i = 2147483647; i++; assert(b == 0 && y == 0 && s == -32768 && u == 0 && r[1] == 3 && i < 0); assert(y - 1 == -1) }
