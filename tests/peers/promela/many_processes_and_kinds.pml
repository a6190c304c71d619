/* 40 states, 42 transitions, ok */
proctype P(byte n; chan up) {
  chan own = [1] of { byte, byte }; chan meet = [0] of { byte, byte }; chan to; byte m, k;
  if :: n < 5 -> if :: n % 2 -> to = own :: else -> to = meet fi; run P(n + 1, to); to?m,k; _nr_pr == n + 1 :: else fi;
  up!n,m + 1
}
init { chan own = [0] of { byte, byte }; byte m, k; run P(1, own); own?m,k; assert(m == 1 && k == 3) }
