/* 35 states, 51 transitions, ok */
chan q = [2] of { byte, bit }; active proctype S() { byte i; do :: i < 4 -> q!i,i; i++ :: else -> break od } active proctype R() { byte x; bit b; end: do :: q?x,b od }
