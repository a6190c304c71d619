"""Five philosophers round a table, and a fork between any two of them: the same as `philosophers.py`, as actions. What
was the place of a process is an attribute, and each step says for itself when it can be made.

topic: synchronisation
check:
expect: violated deadlock in 5 steps
states: 392  transitions: 1415  deadlocks: 1
"""

from enum import Enum

from ouroboros.python import Array, Int, Model, action, require


class Place(Enum):
    THINKING = 1
    WAITING = 2
    EATING = 3
    LEAVING = 4


class Philosophers(Model):
    N = 5
    taken: Array[bool, N]
    at: Array[Place, N]

    def move(self, who, before, after):
        require(self.at[who] is before)
        self.at[who] = after

    def take(self, fork):
        require(not self.taken[fork])
        self.taken[fork] = True

    @action
    def take_left(self, who: Int[0, N - 1]):
        self.move(who, Place.THINKING, Place.WAITING)
        self.take(who)

    @action
    def take_right(self, who: Int[0, N - 1]):
        self.move(who, Place.WAITING, Place.EATING)
        self.take((who + 1) % self.N)

    @action
    def put_right(self, who: Int[0, N - 1]):
        self.move(who, Place.EATING, Place.LEAVING)
        self.taken[(who + 1) % self.N] = False

    @action
    def put_left(self, who: Int[0, N - 1]):
        self.move(who, Place.LEAVING, Place.THINKING)
        self.taken[who] = False
