"""Whole classes that do what a compiler might not expect: each is as Python has it, or refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.errors import InputError
from tests.languages.python.oracle import assert_agrees, model_of

AGREES = {
    "a loop with a yield in it": """
class M(Model):
    x: Int[0, 3] = 0
    @process(1)
    def P0(self, me):
        self.x = (self.x) % 4
        yield
        for v1 in range(2):
            yield "l1"
""",
    "the order of bases": """
class A(Model):
    x: Int[0, 3] = 0
    def step(self):
        return 1
class B(A):
    def step(self):
        return super().step() + 1
class C(A):
    def step(self):
        return super().step() * 3 + 1
class M(B, C):
    @action
    def up(self):
        self.x = self.step() % 4
""",
    "an action that a method hides": """
class A(Model):
    x: Int[0, 3] = 0
    @action
    def up(self):
        self.x = 1
    @action
    def other(self):
        self.x = 3
class M(A):
    def up(self):
        self.x = 2
""",
    "a type that is overridden": """
class A(Model):
    x: Int[0, 3] = 0
class M(A):
    x: Int[0, 5] = 1
    @action
    def up(self):
        self.x += 1
""",
    "what an attribute begins with is copied": """
class M(Model):
    a: Array[Int[0, 3], 2] = [1, 2]
    @action
    def up(self):
        self.a[0] = (self.a[0] + 1) % 4
""",
    "a beginning with a choice": """
class M(Model):
    x: Int[0, 3]
    def __init__(self):
        super().__init__()
        self.x = choose([1, 2])
    @action
    def up(self):
        self.x = (self.x + 1) % 4
""",
    "a default argument is evaluated once": """
K = 1
def inc(n, k=K):
    return n + k
K = 2
class M(Model):
    x: Int[0, 3]
    @action
    def up(self):
        self.x = inc(self.x) % 4
""",
    "a constant that comes later": """
class M(Model):
    x: Int[0, 3]
    @action
    def up(self):
        self.x = (self.x + K) % 4
K = 2
""",
    "a table that a loop of the file made": """
TABLE = []
for i in range(4):
    TABLE.append((i + 1) % 4)
class M(Model):
    x: Int[0, 3]
    @action
    def up(self):
        self.x = TABLE[self.x]
""",
    "a function defined twice": """
def inc(n):
    return n + 1
def inc(n):
    return n + 2
class M(Model):
    x: Int[0, 3]
    @action
    def up(self):
        self.x = inc(self.x) % 4
""",
    "two places of one name": """
class M(Model):
    x: Int[0, 3] = 0
    @process
    def P(self):
        yield "a"
        self.x = 1
        yield "a"
        self.x = 2
""",
    "a value that a process returns": """
class M(Model):
    x: Int[0, 3] = 0
    @process
    def P(self):
        yield
        self.x = 1
        return 3
""",
    "a base whose attribute begins otherwise": """
class A(Model):
    x: Int[0, 3] = 1
class M(A):
    x = 2
    @action
    def up(self):
        self.x = (self.x + 1) % 4
""",
    "builtins with other meanings": """
def len(x):
    return 2
def max(a, b):
    return a
class M(Model):
    x: Int[0, 3] = 1
    q: Seq[bool, 2]
    @action
    def up(self):
        self.x = max(len(self.q), 3)
""",
    "a print of its own": """
def print(x):
    x.x = 3
class M(Model):
    x: Int[0, 3] = 1
    @action
    def up(self):
        print(self)
""",
    "a super of its own": """
class A(Model):
    x: Int[0, 3] = 1
    def f(self):
        return 1
def super():
    return 3
class M(A):
    def f(self):
        return super()
    @action
    def up(self):
        self.x = self.f()
""",
    "a require of its own": """
def require(x):
    return 2
class M(Model):
    x: Int[0, 3] = 1
    @action
    def up(self):
        require(False)
        self.x = 2
""",
    "a method of an enumeration": """
class E(Enum):
    A = 1
    B = 2
    def other(self):
        return E.B if self is E.A else E.A
    @property
    def twice(self):
        return self.value * 2
class M(Model):
    e: E
    x: Int[0, 4]
    @action
    def up(self):
        self.e = self.e.other()
    @action
    def tw(self):
        self.x = self.e.twice
""",
    "an alias of a member": """
class E(Enum):
    A = 1
    B = 1
    C = 2
class M(Model):
    e: E
    x: Int[0, 3]
    @action
    def up(self):
        self.e = E.B
    @action
    def cnt(self):
        self.x = len(E)
    @action
    def nxt(self):
        self.e = E.C
""",
    "truth and numbers among the values": """
class M(Model):
    e: Literal[0, 1, 2]
    f: Literal[True, 1]
    @action
    def up(self):
        self.e = (self.e + 1) % 3
    @action
    def g(self):
        self.f = 1 if self.f is True else True
""",
    "a process that ends in a loop": """
class M(Model):
    x: Int[0, 3]
    @process
    def P(self):
        for i in range(3):
            yield "a"
            if self.x == 2:
                break
            self.x = i
        else:
            yield "c"
            self.x = 3
        yield "d"
""",
    "continue around a yield": """
class M(Model):
    x: Int[0, 9]
    @process
    def P(self):
        for i in range(2):
            for j in range(2):
                if i == j:
                    continue
                yield "a"
                self.x = i * 2 + j
            yield "b"
""",
    "a list that shrinks while it is gone through": """
class M(Model):
    q: Seq[Int[0, 3], 3] = [1, 2]
    x: Int[0, 3]
    @process
    def P(self):
        for e in self.q:
            yield "a"
            self.x = e
    @action
    def pop(self):
        require(self.q)
        self.q.pop()
""",
}

REFUSED = {
    "try and finally around a yield": """
class M(Model):
    x: Int[0, 3] = 0
    @process
    def P(self):
        try:
            yield
        finally:
            self.x = 1
""",
    "the value of a yield": """
class M(Model):
    x: Int[0, 3] = 0
    @process
    def P(self):
        k = yield
        self.x = 1
""",
    "yield from": """
class M(Model):
    x: Int[0, 3] = 0
    @process
    def P(self):
        yield from self.Q()
    def Q(self):
        yield
        self.x = 1
""",
    "a yield in a condition": """
class M(Model):
    x: Int[0, 3] = 0
    @process
    def P(self):
        if (yield "a"):
            self.x = 1
""",
    "a private attribute": """
class M(Model):
    __x: Int[0, 3] = 0
    @action
    def up(self):
        self.__x = (self.__x + 1) % 4
""",
    "an attribute that is set otherwise": """
class M(Model):
    x: Int[0, 3]
    def __setattr__(self, name, value):
        super().__setattr__(name, 2)
    @action
    def up(self):
        self.x = 1
""",
    "a descriptor": """
class D:
    def __get__(self, instance, owner):
        return 2 if instance is None else instance.x + 1
class M(Model):
    x: Int[0, 3]
    d = D()
    @action
    def up(self):
        self.x = self.d % 4
""",
    "a property that is kept": """
from functools import cached_property
class M(Model):
    x: Int[0, 3]
    @cached_property
    def d(self):
        return self.x + 1
    @action
    def up(self):
        self.x = self.d % 4
""",
    "a method with a cache": """
from functools import lru_cache
class M(Model):
    x: Int[0, 3]
    @lru_cache
    def d(self):
        return self.x + 1
    @action
    def up(self):
        self.x = self.d() % 4
""",
    "a default argument that changes": """
def collect(n, seen=[]):
    seen.append(n)
    return len(seen)
class M(Model):
    x: Int[0, 3]
    @action
    def up(self):
        self.x = collect(self.x) % 4
""",
    "a variable of a closure that changes": """
def make():
    k = 0
    def inc(n):
        nonlocal k
        k += 1
        return n + k
    return inc
inc2 = make()
class M(Model):
    x: Int[0, 3]
    @action
    def up(self):
        self.x = inc2(self.x) % 4
""",
    "a constant that the file changes later": """
N = [0]
def bump():
    N[0] += 1
    return N[0]
class M(Model):
    x: Int[0, 3]
    @action
    def up(self):
        self.x = bump() % 4
""",
    "an object with another constant": """
class M(Model):
    K = 1
    x: Int[0, 3]
    def __init__(self):
        super().__init__()
        self.K = 3
    @action
    def up(self):
        self.x = self.K
""",
    "an until of its own": """
def until(x):
    return "named"
class M(Model):
    x: Int[0, 3] = 1
    @process
    def P(self):
        yield until(False)
        self.x = 2
""",
    "an exception as a way out": """
class M(Model):
    x: Int[0, 3]
    @action
    def up(self):
        try:
            self.x = [1][self.x]
        except IndexError:
            self.x = 0
""",
    "a record that compares by itself": """
@dataclass
class C:
    n: Int[0, 3] = 0
    def __eq__(self, other):
        return True
class M(Model):
    c: C
    @action
    def up(self):
        self.c.n = 1
""",
    "a frozen record that is changed": """
@dataclass(frozen=True)
class C:
    n: Int[0, 3] = 0
class M(Model):
    c: C
    @action
    def up(self):
        object.__setattr__(self.c, "n", 2)
""",
    "a part with another constant": """
class C(Model):
    K = 1
    x: Int[0, 3]
    def __init__(self):
        super().__init__()
        self.K = 2
class M(Model):
    c: C
    @action
    def up(self):
        self.c.x = self.c.K
""",
}


@pytest.mark.parametrize("name", AGREES)
def test_as_python_does(name: str, tmp_path: Path) -> None:
    assert assert_agrees(model_of(AGREES[name], tmp_path, "M"), 15) > 1


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        model_of(REFUSED[name], tmp_path, "M")
    assert raised.value.span is not None, raised.value
