/* violated: a step that brings a receiver to a rendezvous is seen by an `unless` of the sender */
chan z = [0] of { byte };
byte g;
active proctype P() { byte l; l = 1; z?l }
active proctype Q() { { g = 1; assert(0) } unless { z!0 } }
