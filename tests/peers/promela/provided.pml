/* 7 states, 6 transitions, ok */
byte turn; active proctype P() provided (turn == 0) { turn = 1; skip; turn = 1 } active proctype Q() provided (turn == 1) { turn = 0; skip }
