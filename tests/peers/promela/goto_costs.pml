/* 10 states, 12 transitions, ok */
byte x; active proctype P() { x = 1; goto a; b: x = 2; a: if :: goto c :: x = 3 -> goto c :: x == 1 -> goto b fi; c: x = 4; goto d; d: goto e; e: skip }
