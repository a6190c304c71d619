"""Two jugs, for three and for five litres: can they measure four? The run that violates the invariant is the
way, and the shortest one. Each action is a method, made in one step.

topic: puzzles
check:
expect: violated in 6 steps
states: 16  transitions: 96  deadlocks: 0
"""

from ouroboros.python import Int, Model, action, invariant


class Jugs(Model):
    small: Int[0, 3] = 0
    large: Int[0, 5] = 0

    @action
    def fill_small(self):
        self.small = 3

    @action
    def fill_large(self):
        self.large = 5

    @action
    def empty_small(self):
        self.small = 0

    @action
    def empty_large(self):
        self.large = 0

    @action
    def pour_into_large(self):
        poured = min(self.small, 5 - self.large)
        self.small -= poured
        self.large += poured

    @action
    def pour_into_small(self):
        poured = min(self.large, 3 - self.small)
        self.large -= poured
        self.small += poured

    @invariant
    def not_four(self):
        return self.large != 4
