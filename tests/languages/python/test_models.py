"""Small models: Python's own execution, the interpreter and machine code agree on every state and every label."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.languages.python.oracle import assert_agrees, model_of

MODELS: dict[str, tuple[int, str]] = {
    "processes that take turns": (
        10,
        """
        class Peterson(Model):
            wants: Array[bool, 2]
            turn: Int[0, 1] = 0

            @process(2)
            def P(self, me):
                other = 1 - me
                while True:
                    yield "idle"
                    self.wants[me] = True
                    self.turn = other
                    yield "wait", until(not self.wants[other] or self.turn == me)
                    yield "cs"
                    self.wants[me] = False
        """,
    ),
    "variables that outlive a step": (
        44,
        """
        class Counter(Model):
            n: Int[0, 4] = 0

            @process(2)
            def P(self, me):
                for i in range(2):
                    seen = self.n
                    yield
                    self.n = seen + 1
                    yield
        """,
    ),
    "actions with parameters and choices": (
        -1,
        """
        class Colour(Enum):
            RED = 1
            GREEN = 2

        class Lights(Model):
            light: Array[Colour, 2]
            k: Int[-1, 1] = 0

            @action
            def switch(self, i: Int[0, 1]):
                self.light[i] = choose(Colour)
                if self.light[i] == Colour.GREEN:
                    self.k = choose([-1, 1])

            @action
            def rest(self):
                require(self.k != 0)
                self.k = 0
        """,
    ),
    "numbers as Python has them": (
        -1,
        """
        class Numbers(Model):
            a: Int[-7, 7] = -7
            b: Int[-3, 3] = -3
            q: Int[-60, 60] = 0
            r: Int[-60, 60] = 0

            @action
            def divide(self):
                self.q = self.a // self.b
                self.r = self.a % self.b

            @action
            def more(self, op: Int[0, 3]):
                if op == 0:
                    self.r = self.a & self.b
                elif op == 1:
                    self.r = (self.a | self.b) ^ 5
                elif op == 2:
                    self.r = ~self.a + abs(self.b) * 2
                else:
                    self.r = self.a >> 1

            @action
            def next_a(self):
                require(self.a < 7)
                self.a += 1

            @action
            def next_b(self):
                require(self.b < 3)
                self.b += 1
        """,
    ),
    "queues and records": (
        -1,
        """
        @dataclass(frozen=True)
        class Message:
            kind: Literal["ask", "tell"]
            value: Int[0, 2] = 0

        class Post(Model):
            box: Seq[Message, 2]
            link: Channel[Int[0, 1], 2]
            last: Message | None = None
            got: Int[0, 1] | None = None

            @action
            def send(self, v: Int[0, 1]):
                require(len(self.box) < 2)
                self.box.append(Message("tell", v))

            @action
            def receive(self):
                require(self.box)
                self.last = self.box.pop(0)

            @action
            def forget(self):
                require(self.last is not None and self.last.value > 0)
                self.last = None

            @action
            def put(self, x: Int[0, 1]):
                self.link.send(x)

            @action
            def take(self):
                self.got = self.link.receive()
        """,
    ),
    "sets and mappings": (
        -1,
        """
        class Sets(Model):
            s: Set[Int[1, 3]]
            m: Map[Int[1, 3], bool]

            @action
            def add(self, x: Int[1, 3]):
                require(x not in self.s)
                self.s.add(x)

            @action
            def drop(self):
                x = choose(self.s)
                self.s.remove(x)
                self.m[x] = len(self.s) > 1

            @action
            def clear(self):
                require(all(k in self.m for k in range(1, 4)))
                self.m.clear()

            @action
            def big(self):
                require(sum(x for x in sorted(self.s)) == 6 and max(self.s) == 3)
                self.s = {1}
        """,
    ),
    "loops and functions": (
        -1,
        """
        def double(x):
            return x * 2

        class Loops(Model):
            a: Array[Int[0, 9], 3] = [1, 2, 3]
            n: Int[0, 40] = 0

            def total(self, most):
                total = 0
                for i, x in enumerate(self.a):
                    if x > most:
                        continue
                    if total > 12:
                        break
                    total += double(x)
                return total

            def first(self, x):
                for i in range(3):
                    if self.a[i] == x:
                        return i
                return 0

            @action
            def step(self):
                self.n = self.total(5)
                k = 0
                while k < self.n:
                    k += 3
                self.a[self.first(2)] = k % 10

            @action
            def swap(self):
                self.a[0], self.a[2] = self.a[2], self.a[0]

            @action
            def matched(self):
                match self.a[0]:
                    case 1:
                        self.n = 1
                    case 2 | 3:
                        self.n = 2 if self.n > 3 else 0
                    case x if x > 7:
                        self.n = x
                    case _:
                        self.n = min(self.a) + max(self.a[0], self.a[1])
        """,
    ),
    "what goes wrong": (
        -1,
        """
        class Wrong(Model):
            x: Int[0, 3] = 0
            a: Array[bool, 2]
            q: Seq[bool, 1]

            @action
            def more(self):
                self.x += 1

            @action
            def index(self):
                self.a[self.x] = True

            @action
            def divide(self):
                self.x = 3 // self.x

            @action
            def claim(self):
                assert self.x != 2, "never two"

            @action
            def push(self):
                self.q.append(True)

            @action
            def pop(self):
                self.q.pop()
        """,
    ),
    "waiting, ending and choosing": (
        -1,
        """
        class Ends(Model):
            free: Int[0, 2] = 2

            @process(2)
            def P(self, me):
                n: Int[0, 2] = choose(range(1, 3))
                yield "begin", until(self.free >= n)
                self.free -= n
                if choose([True, False]):
                    yield "long"
                yield
                self.free += n
        """,
    ),
    "a model in a model, and one that inherits": (
        -1,
        """
        class Lock(Model):
            held: bool = False

            def acquire(self):
                require(not self.held)
                self.held = True

            def release(self):
                self.held = False

        class Base(Model):
            lock: Lock
            inside: Int[0, 2] = 0

            @process(2)
            def P(self, me):
                while True:
                    yield
                    self.lock.acquire()
                    self.inside += 1
                    yield "cs"
                    self.inside -= 1
                    self.lock.release()

        class Whole(Base):
            tick: bool = False

            @action
            def toggle(self):
                self.tick = not self.tick
        """,
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_state_for_state(name: str, tmp_path: Path) -> None:
    states, text = MODELS[name]
    found = assert_agrees(model_of(text, tmp_path, "Whole" if "Whole" in text else None))
    assert states in (-1, found)
