/* 12 states, 11 transitions, ok */
byte x; active proctype L() priority 1 { x++; x++ } active proctype H() priority 5 { x = 10; (x > 11); x = 20 } active proctype M() priority 3 { (x == 10); x = 11; skip }
