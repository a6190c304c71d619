/* 93 states, 92 transitions, ok */
proctype P(byte n; chan up) {
  chan own = [2] of { byte }; byte m;
  if :: n < 9 -> run P(n + 1, own); _nr_pr == n + 1; own?m :: else fi;
  up!!n; up!!m + 1; up??eval(n);
  if :: up?[10] && len(up) == 1 -> m = 1 :: nfull(up) -> m = 2 :: full(up) fi
}
init { chan own = [2] of { byte }; byte m; run P(1, own); _nr_pr == 1; own?m; assert(m == 9) }
