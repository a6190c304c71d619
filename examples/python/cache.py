"""Three caches of one memory cell: whoever writes has the only copy, and whoever reads gets the newest value. A cache
line is a record that changes, and `version` says which value it has.

topic: cache coherence
check:
expect: holds
states: 51  transitions: 306  deadlocks: 0
"""

from dataclasses import dataclass
from typing import Literal

from ouroboros.python import Array, Int, Model, action, invariant, require


@dataclass
class Line:
    state: Literal["invalid", "shared", "modified"] = "invalid"
    version: Int[0, 2] = 0


class Cache(Model):
    N = 3
    memory: Int[0, 2] = 0
    newest: Int[0, 2] = 0
    lines: Array[Line, N]

    def write_back(self):
        for line in self.lines:
            if line.state == "modified":
                self.memory = line.version
                line.state = "shared"

    @action
    def read(self, who: Int[0, N - 1]):
        line = self.lines[who]
        require(line.state == "invalid")
        self.write_back()
        line.state, line.version = "shared", self.memory

    @action
    def own(self, who: Int[0, N - 1]):
        require(self.lines[who].state != "modified")
        self.write_back()
        for other in self.lines:
            other.state, other.version = "invalid", 0
        self.lines[who].state, self.lines[who].version = "modified", self.memory

    @action
    def write(self, who: Int[0, N - 1]):
        line = self.lines[who]
        require(line.state == "modified")
        self.newest = line.version = (line.version + 1) % 3

    @action
    def evict(self, who: Int[0, N - 1]):
        line = self.lines[who]
        require(line.state != "invalid")
        if line.state == "modified":
            self.memory = line.version
        line.state, line.version = "invalid", 0

    @invariant
    def one_writer(self):
        return sum(line.state == "modified" for line in self.lines) <= 1

    @invariant
    def newest_is_read(self):
        return all(line.version == self.newest for line in self.lines if line.state != "invalid")
