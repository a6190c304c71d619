"""A bounded buffer: a producer numbers its goods by turns, a consumer takes them in order. In Python, `send`
waits while the belt is full, and `receive` while it is empty.

topic: concurrent data structures
check:
expect: holds
states: 9  transitions: 12  deadlocks: 0
"""

from ouroboros.python import Channel, Int, Model, process


class Buffer(Model):
    ROOM = 2
    belt: Channel[Int[0, 2], ROOM]

    @process
    def producer(self):
        number: Int[0, 2] = 0
        while True:
            yield
            self.belt.send(number)
            number = (number + 1) % 3

    @process
    def consumer(self):
        expected: Int[0, 2] = 0
        while True:
            yield
            got = self.belt.receive()
            assert got == expected, "the goods come in order"
            expected = (expected + 1) % 3
