/* 7 states, 6 transitions, ok */
byte h; active proctype A() priority 2 { (h == 1); h = 9 } active proctype B() priority 1 { atomic { h = 1; h = 2; h = 3 } }
