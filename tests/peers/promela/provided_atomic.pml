/* 8 states, 8 transitions, ok */
bool stop; active proctype P() provided (!stop) { byte i; atomic { i = 1; stop = true; i = 2; i = 3 } } active proctype Q() { stop; stop = false }
