"""Leader election on a ring of four, after Chang and Roberts: whoever wakes up sends its number round; a candidate lets
only larger numbers pass; who sees its own number again has won. A `Channel` is an attribute: `send` waits for room, and
`receive` for a message.

topic: leader election
check:
expect: holds
check: --ltl "F node[0].at('candidate')"
expect: violated by a cycle
states: 519  transitions: 1258  deadlocks: 0
"""

from ouroboros.python import Array, Channel, Int, Model, choose, invariant, ltl, process


class Ring(Model):
    N = 4
    links: Array[Channel[Int[1, N], 2], N]

    @process(N)
    def node(self, me):
        seen: Int[0, 4] = 0
        yield "asleep"
        if choose(["wake up", "be woken up"]) == "wake up":
            self.links[me].send(me + 1)
            while True:
                yield "candidate"
                seen = self.links[me - 1].receive()
                yield "comparing"
                if seen == me + 1:
                    while True:
                        seen = 0
                        yield "leader"
                if seen > me + 1:
                    break
                seen = 0
        else:
            seen = self.links[me - 1].receive()
        while True:
            yield "passing"
            self.links[me].send(seen)
            seen = 0
            yield "lost"
            seen = self.links[me - 1].receive()

    @invariant
    def one_leader(self):
        return sum(node.at("leader") for node in (self.node[0], self.node[1], self.node[2], self.node[3])) <= 1

    stays = ltl('G (node[3].at("leader") -> G node[3].at("leader"))')
