"""Three toads on the left and three frogs on the right sit on seven stones, the one in the middle is free. Toads only
move to the right, frogs only to the left, by one stone, or over one animal of the other kind. Can they change sides?
The invariant claims that they cannot, and its counterexample is the way. Most ways end in a jam, which is a deadlock.

topic: puzzles
check: --property assertions
expect: violated in 15 steps
check: --property deadlock
expect: violated deadlock
states: 72  transitions: 82  deadlocks: 14
"""

from typing import Literal

from ouroboros.python import Array, Int, Model, action, invariant, require

T, F, FREE = "toad", "frog", "free"


class Pond(Model):
    stones: Array[Literal["toad", "frog", "free"], 7] = [T, T, T, FREE, F, F, F]

    def move(self, origin, to):
        require(0 <= to < 7 and self.stones[to] == FREE)
        self.stones[origin], self.stones[to] = FREE, self.stones[origin]

    @action
    def toad(self, at: Int[0, 6]):
        require(self.stones[at] == T)
        over = at < 6 and self.stones[at + 1] == F
        self.move(at, at + 2 if over else at + 1)

    @action
    def frog(self, at: Int[0, 6]):
        require(self.stones[at] == F)
        over = at > 0 and self.stones[at - 1] == T
        self.move(at, at - 2 if over else at - 1)

    @invariant
    def not_across(self):
        return self.stones != [F, F, F, FREE, T, T, T]
