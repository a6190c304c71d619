/* 10 states, 10 transitions, ok */
chan q = [2] of { byte }; active proctype S() { q!1; q!2 } active proctype R() { byte x, y; q?<x>; q??<2>; q?x; q?y }
