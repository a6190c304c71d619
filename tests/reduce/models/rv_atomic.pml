/* violated: a step that brings a receiver to a rendezvous decides whether an atomic sequence blocks */
chan z = [0] of { byte };
byte g, h;
active proctype P() { byte l; l = 1; atomic { z?l; h = 1 } }
active proctype Q() { atomic { g = 1; z!0 } }
active proctype O() { assert(g == 0 || h == 1) }
