"""Peterson's algorithm: two processes, and each lets the other go first. A process is a generator; what stands
between two `yield`s happens in one step.

topic: mutual exclusion
check:
expect: holds
states: 10  transitions: 16  deadlocks: 0
"""

from ouroboros.python import Array, Int, Model, invariant, ltl, process, until


class Peterson(Model):
    wants: Array[bool, 2]
    turn: Int[0, 1] = 0

    @process(2, fair="weak")
    def P(self, me):
        other = 1 - me
        while True:
            yield "idle"
            self.wants[me] = True
            self.turn = other
            yield "wait", until(not self.wants[other] or self.turn == me)
            yield "cs"
            self.wants[me] = False

    @invariant
    def exclusion(self):
        return not (self.P[0].at("cs") and self.P[1].at("cs"))

    enters = ltl('G (P[0].at("wait") -> F P[0].at("cs"))')
