/* violated: a step that brings a receiver to a rendezvous is seen by the `else` of the sender */
chan z = [0] of { byte };
active proctype P() { byte l; l = 1; z?l }
active proctype Q() { if :: z!0 :: else -> assert(0) fi }
