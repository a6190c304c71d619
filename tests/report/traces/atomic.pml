byte turn, crit;
active [2] proctype P() { atomic { turn == 0 -> turn = 1 }; crit++; assert(crit == 1); crit--; turn = 0 }
active proctype Q() { turn = 0; turn == 1 -> turn = 0 }
