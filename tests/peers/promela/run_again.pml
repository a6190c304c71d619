/* 18 states, 17 transitions, ok */
byte n; proctype C() { n = n + 1 } init { do :: n < 3 -> run C(); (_nr_pr == 1) :: else -> break od }
