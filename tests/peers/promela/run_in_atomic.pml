/* 42 states, 83 transitions, ok */
proctype A() { skip; skip } init { atomic { run A(); run A(); run A() } }
