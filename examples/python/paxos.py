"""Paxos for one value: two proposers with a ballot each, three acceptors. A proposer that hears promises of a majority
proposes the value of the highest ballot that one of them has accepted, or else its own. Messages are never lost, only
not yet read; nobody ever learns two values.

topic: consensus
check: --property assertions
expect: holds
states: 1777  transitions: 4154  deadlocks: 156
"""

from dataclasses import dataclass

from ouroboros.python import Array, Int, Model, action, invariant, require


@dataclass(frozen=True)
class Vote:
    ballot: Int[0, 1]
    value: Int[0, 1]


class Paxos(Model):
    BALLOTS = 2
    ACCEPTORS = 3
    promised: Array[Int[-1, 1], ACCEPTORS] = [-1, -1, -1]
    accepted: Array[Vote | None, ACCEPTORS]
    asked: Array[bool, BALLOTS]
    promises: Array[Array[bool, ACCEPTORS], BALLOTS]
    reported: Array[Array[Vote | None, ACCEPTORS], BALLOTS]
    proposed: Array[Int[0, 1] | None, BALLOTS]
    votes: Array[Array[bool, ACCEPTORS], BALLOTS]

    @action
    def prepare(self, ballot: Int[0, 1]):
        require(not self.asked[ballot])
        self.asked[ballot] = True

    @action
    def promise(self, acceptor: Int[0, 2], ballot: Int[0, 1]):
        require(self.asked[ballot] and self.promised[acceptor] < ballot)
        self.promised[acceptor] = ballot
        self.promises[ballot][acceptor] = True
        self.reported[ballot][acceptor] = self.accepted[acceptor]

    @action
    def propose(self, ballot: Int[0, 1]):
        require(self.proposed[ballot] is None and sum(self.promises[ballot]) >= 2)
        value = ballot
        for vote in self.reported[ballot]:
            if vote is not None:
                value = vote.value
        self.proposed[ballot] = value

    @action
    def accept(self, acceptor: Int[0, 2], ballot: Int[0, 1]):
        value = self.proposed[ballot]
        require(value is not None and self.promised[acceptor] <= ballot and not self.votes[ballot][acceptor])
        self.promised[acceptor] = ballot
        self.accepted[acceptor] = Vote(ballot, value)
        self.votes[ballot][acceptor] = True

    def chosen(self, value):
        return any(self.proposed[b] == value and sum(self.votes[b]) >= 2 for b in range(2))

    @invariant
    def agreement(self):
        return not (self.chosen(0) and self.chosen(1))
