/* violated: steps that are made one must not hide from others that a receiver is not ready yet */
chan z = [0] of { byte };
byte g;
active proctype P() { byte l; g = 1; l = 1; z?l }
active proctype Q() { (g == 1); if :: z!0 :: else -> assert(0) fi }
