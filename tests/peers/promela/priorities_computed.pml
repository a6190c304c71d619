/* 40 states, 56 transitions, ok */
byte x, y;
active proctype P() priority 2 { byte k; k = 1; set_priority(_pid, k + y); x++; x++; y = 3 }
active proctype Q() priority 3 { byte k = 2; x++; set_priority(0, k * 2); x++; x++ }
active proctype R() { x++; set_priority(1, get_priority(0)); y = y + 1; x++ }
