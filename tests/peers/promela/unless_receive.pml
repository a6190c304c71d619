/* 11 states, 14 transitions, end */
chan z = [0] of { byte }; chan q = [1] of { byte }; byte x; active proctype P() { byte y; { x = 1; x = 2; q?y } unless { z?y; x = y } } active proctype Q() { q!4; z!5; q!6 }
