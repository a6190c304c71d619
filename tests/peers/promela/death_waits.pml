/* 17 states, 27 transitions, ok */
bool go; active proctype A() { skip } active proctype B() { (go); skip } active proctype C() { go = true }
