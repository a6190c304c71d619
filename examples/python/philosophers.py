"""Five philosophers round a table, and a fork between any two of them. Each takes the fork on the left, then the one
on the right. If all take the left one, nobody can go on. As a process, a philosopher waits at `until` for a fork.

topic: synchronisation
check:
expect: violated deadlock in 5 steps
check: --invariant "not (P[0].at('eating') and P[1].at('eating'))"
expect: holds
states: 392  transitions: 1415  deadlocks: 1
"""

from ouroboros.python import Array, Model, process, until


class Philosophers(Model):
    N = 5
    taken: Array[bool, N]

    @process(N)
    def P(self, me):
        right = (me + 1) % self.N
        while True:
            yield "thinking", until(not self.taken[me])
            self.taken[me] = True
            yield "waiting", until(not self.taken[right])
            self.taken[right] = True
            yield "eating"
            self.taken[right] = False
            yield "leaving"
            self.taken[me] = False
