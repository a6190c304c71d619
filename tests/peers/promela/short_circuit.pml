/* 5 states, 4 transitions, ok */
byte a[2] = 1; byte i = 5; active proctype P() { (i < 2 && a[i] == 1) || i == 5; if :: i > 1 || a[i] -> i = 0 fi }
