"""A ticket lock, the same as `tickets.py`, as actions with a parameter: which process makes the step.

topic: mutual exclusion
check:
expect: holds
states: 93  transitions: 171  deadlocks: 0
"""

from typing import Literal

from ouroboros.python import Array, Int, Model, action, invariant, require


class Tickets(Model):
    N = 3
    at: Array[Literal["outside", "waiting", "inside"], N]
    ticket: Array[Int[0, N - 1] | None, N]
    next: Int[0, N - 1] = 0
    shown: Int[0, N - 1] = 0

    @action
    def take(self, p: Int[0, N - 1]):
        require(self.at[p] == "outside")
        self.ticket[p], self.next = self.next, (self.next + 1) % self.N
        self.at[p] = "waiting"

    @action
    def enter(self, p: Int[0, N - 1]):
        require(self.at[p] == "waiting" and self.ticket[p] == self.shown)
        self.at[p] = "inside"

    @action
    def leave(self, p: Int[0, N - 1]):
        require(self.at[p] == "inside")
        self.ticket[p], self.shown = None, (self.shown + 1) % self.N
        self.at[p] = "outside"

    @invariant
    def one_at_a_time(self):
        return sum(place == "inside" for place in self.at) <= 1
