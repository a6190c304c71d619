/* 11 states, 10 transitions, ok */
byte x; active proctype L() priority 2 { x++; set_priority(1, 9); x++; x++ } active proctype H() { x = 10; x = get_priority(0); _priority = 1; x = _priority }
