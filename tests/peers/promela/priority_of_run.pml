/* 15 states, 15 transitions, ok */
byte x; proctype P() priority 3 { x = 1 } active proctype Q() priority 2 { x = 3; x = 4 } init { run P(); x = 5 }
