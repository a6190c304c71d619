"""The alternating bit protocol: messages and acknowledgements can be lost, and are sent again until the other side has
answered with the same bit. What arrives is what was sent, in order and once. As actors: each action takes a message and
may answer, and losing one is an action as well.

topic: communication protocols
check:
expect: holds
check: --ltl "G F got == 1"
expect: violated by a cycle
states: 174  transitions: 558  deadlocks: 0
"""

from dataclasses import dataclass

from ouroboros.python import Int, Model, Seq, action, require


@dataclass(frozen=True)
class Packet:
    bit: bool
    load: Int[0, 2]


class AlternatingBit(Model):
    ROOM = 2
    packets: Seq[Packet, ROOM]
    answers: Seq[bool, ROOM]
    sending: Int[0, 2] = 0
    bit: bool = False
    expected: bool = False
    got: Int[0, 2] = 2

    @action
    def send(self):
        require(len(self.packets) < self.ROOM)
        self.packets.append(Packet(self.bit, self.sending))

    @action
    def receive(self):
        require(self.packets and len(self.answers) < self.ROOM)
        packet = self.packets.pop(0)
        if packet.bit == self.expected:
            assert packet.load == (self.got + 1) % 3, "nothing is lost, doubled or out of order"
            self.got = packet.load
            self.expected = not self.expected
        self.answers.append(packet.bit)

    @action
    def be_answered(self):
        require(self.answers)
        if self.answers.pop(0) == self.bit:
            self.bit = not self.bit
            self.sending = (self.sending + 1) % 3

    @action
    def lose_packet(self):
        require(self.packets)
        self.packets.pop(0)

    @action
    def lose_answer(self):
        require(self.answers)
        self.answers.pop(0)
