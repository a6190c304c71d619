"""A ticket lock: who comes takes the next number, and waits until it is shown. Numbers are used again when all of them
have been, so there must be as many as processes.

topic: mutual exclusion
check:
expect: holds
states: 93  transitions: 171  deadlocks: 0
"""

from ouroboros.python import Array, Int, Model, invariant, process, response, until


class Tickets(Model):
    N = 3
    ticket: Array[Int[0, N - 1] | None, N]
    next: Int[0, N - 1] = 0
    shown: Int[0, N - 1] = 0

    @process(N, fair="weak")
    def P(self, me):
        while True:
            yield "outside"
            self.ticket[me] = self.next
            self.next = (self.next + 1) % self.N
            yield "waiting", until(self.ticket[me] == self.shown)
            yield "inside"
            self.ticket[me] = None
            self.shown = (self.shown + 1) % self.N

    @invariant
    def one_at_a_time(self):
        return self.P[0].at("inside") + self.P[1].at("inside") + self.P[2].at("inside") <= 1

    is_served = response('P[0].at("waiting")', 'P[0].at("inside")')
