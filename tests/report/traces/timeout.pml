chan q = [1] of { byte };
byte lost;
active proctype S() { byte i; do :: q!i -> i++ :: timeout -> lost++; assert(lost < 2) od }
active proctype R() { byte v; q?v; q?v }
