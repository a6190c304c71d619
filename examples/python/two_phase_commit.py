"""Two-phase commit: the coordinator asks everybody for a vote, and commits if all say yes. Votes and decisions are
messages in a set, which can be read in any order, and a participant may time out before it has voted. All commit, or
nobody does.

topic: commit protocols
check: --property assertions
expect: holds
states: 99  transitions: 286  deadlocks: 9
"""

from enum import Enum

from ouroboros.python import Array, Int, Model, Set, action, invariant, require


class State(Enum):
    WORKING = 1
    READY = 2
    COMMITTED = 3
    ABORTED = 4


class TwoPhaseCommit(Model):
    N = 3
    at: Array[State, N]
    ready: Set[Int[0, N - 1]]
    """Messages to the coordinator."""
    decided: State = State.WORKING

    @action
    def vote(self, p: Int[0, N - 1]):
        require(self.at[p] is State.WORKING)
        self.at[p] = State.READY
        self.ready.add(p)

    @action
    def time_out(self, p: Int[0, N - 1]):
        require(self.at[p] is State.WORKING)
        self.at[p] = State.ABORTED

    @action
    def commit(self):
        require(self.decided is State.WORKING and len(self.ready) == self.N)
        self.decided = State.COMMITTED

    @action
    def abort(self):
        require(self.decided is State.WORKING)
        self.decided = State.ABORTED

    @action
    def learn(self, p: Int[0, N - 1]):
        require(self.decided is not State.WORKING and self.at[p] is not self.decided)
        self.at[p] = self.decided

    @invariant
    def all_or_nobody(self):
        return not (State.COMMITTED in self.at and State.ABORTED in self.at)
