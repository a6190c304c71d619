mtype = { data, ctl };
chan q = [2] of { mtype, byte };
byte sum;
active proctype Producer() { q!data(1); q!ctl(2); q!data(3) }
active proctype Consumer() { byte x; mtype t; do :: q?t(x) -> sum = sum + x; assert(sum < 6) od }
