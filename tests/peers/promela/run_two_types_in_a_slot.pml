/* 14 states, 14 transitions, ok */
byte n; proctype A() { byte a = 1; n = a } proctype B() { short b = 2; n = b } init { if :: run A() :: run B() fi; (_nr_pr == 1); run A() }
