"""What Python does and a compiler might not: each is done as Python does it, or refused with its line."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from ouroboros.errors import InputError
from tests.languages.python.oracle import assert_agrees, model_of

STATE = """
from dataclasses import field
from enum import IntEnum
import copy

TABLE = [1, 0, 2]
LIMIT = 2


class Colour(Enum):
    RED = "r"
    GREEN = "g"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Cell:
    n: Int[0, 3] = 0
    on: bool = False


@dataclass(frozen=True)
class Pair:
    left: Int[0, 3]
    right: Int[0, 3] = 1


def bump(model):
    model.x = (model.x + 1) % 4
    return model.x


def wrapped(function):
    from functools import wraps

    @wraps(function)
    def other(n):
        return function(n) + 1

    return other


@wrapped
def decorated(n):
    return n


def adder(n):
    def add(m):
        return n + m

    return add


n = 7
add_two = adder(2)
as_lambda = lambda n: n + 1  # noqa: E731 - a function of this kind is tested


class Base(Model):
    x: Int[0, 3] = 0
    y: Int[-3, 3] = -1
    b: bool = False
    a: Array[Int[0, 3], 3] = [0, 1, 2]
    q: Seq[Int[0, 3], 3] = [1]
    cells: Array[Cell, 2]
    boxes: Seq[Cell, 2]
    pair: Pair = Pair(2)
    last: Cell | None = None
    maybe: Int[0, 3] | None = None
    s: Set[Int[0, 3]] = {1}
    m: Map[Int[0, 2], Int[0, 3]] = {0: 1}
    c: Colour = Colour.RED
    level: Level = Level.LOW
    kind: Literal["a", "b"] = "a"
    STEP = 2

    def up(self):
        self.x = (self.x + 1) % 4
        return self.x

    def set_y(self, value, other=1):
        self.y = value
        return other

    @property
    def double(self):
        return self.x * 2

    @classmethod
    def constant(cls):
        return cls.STEP

    @staticmethod
    def half(n):
        return n // 2

    def scale(self):
        return 1

    @action
    def tick(self):
        self.x = (self.x + 1) % 4

    @action
    def flip(self):
        self.b = not self.b


class M(Base):
    def scale(self):
        return super().scale() + 1

    @action
    def act(self):
"""

AGREES = {
    "floor division and modulo": "self.y = (self.y * 7) // -2 % 4",
    "modulo of a negative divisor": "self.y = (self.x + 5) % -3",
    "chained comparison short circuits": "self.b = 2 < self.x < 3 // (self.x - 1) < 9",
    "chained comparison evaluates once": "self.b = 0 <= self.up() < 2",
    "and gives a value": "self.y = self.x and 2",
    "or gives a value": "self.y = self.x or -2",
    "short circuit protects": "self.b = self.x != 0 and 3 // self.x > 1",
    "left to right": "self.y = self.x - self.up()",
    "operands keep their values": "self.y = self.x * 0 + self.x - bump(self)",
    "two targets": "self.x = self.y = (self.x + 1) % 3",
    "targets see the one before": "self.x = self.a[self.x % 3] = (self.x + 2) % 4",
    "augmented index is evaluated once": "self.a[self.up() % 3] += 0",
    "augmented value changes the index": "self.a[self.x % 3] += self.up() * 0",
    "augmented reads first": "self.y += self.set_y(0)",
    "negative index": "self.x = self.a[-1]",
    "negative index that is too small": "self.x = self.a[self.y - 2]",
    "negative index of a queue": "self.x = self.q[-1]",
    "swap": "self.a[0], self.a[1] = self.a[1], self.a[0]",
    "swap through an index": "self.x, self.a[self.x % 3] = self.a[0], self.x",
    "conditional expression": "self.y = 1 // self.x if self.x else -1",
    "unequal types": "self.b = (self.maybe == self.x) or self.c == 1",
    "none or number": "self.maybe = self.x if self.b else None",
    "is None": "self.b = self.maybe is None and self.last is None",
    "is of enumerations": "self.b = self.c is Colour.RED",
    "is True": "self.x = 1 if self.b is True else 2",
    "value of a member": "self.b = self.c.value == 'r'",
    "name of a member": "self.b = self.c.name == 'GREEN'",
    "numbers of an enumeration": "self.x = self.level + 1\nself.level = Level.HIGH",
    "numbers of enumerations compare": "self.b = self.level == 1 and self.level < Level.HIGH",
    "bool is a number": "self.x = self.b + True",
    "bool operators stay bool": "self.b = self.b ^ (self.x > 1)",
    "while else": "i = 0\nwhile i < self.x:\n    i += 1\n    if i == 2:\n"
    "        break\nelse:\n    self.b = True\nself.y = i",
    "for else": "for i in range(3):\n    if self.a[i] == self.x:\n        break\nelse:\n    self.y = 3",
    "loop variable stays": "for i in range(3):\n    if i == self.x:\n        break\nself.y = i",
    "loop over what grows": "for e in self.q:\n    if len(self.q) < 3:\n        self.q.append(e)",
    "continue": "t = 0\nfor e in self.a:\n    if e == 1:\n        continue\n    t += e\nself.y = min(t, 3)",
    "nested loops": "t = 0\nfor i in range(3):\n    for j in range(3):\n"
    "        if j > i:\n            break\n        t += 1\n"
    "self.y = t % 4",
    "match with a guard": "match self.x:\n    case k if k > 2:\n        self.y = k\n"
    "    case 0 | 1:\n        self.y = 0\n"
    "    case k:\n        self.y = -k",
    "match binds only where it matches": "k = 3\nmatch (self.x, self.b):\n    case (k, True):\n        pass\n"
    "    case _:\n        self.y = k",
    "match a record": "match self.pair:\n    case Pair(2, right=r):\n        self.y = r\n    case _:\n        pass",
    "match None": "match self.last:\n    case Cell(n=1):\n        self.y = 1\n"
    "    case None:\n        self.last = Cell(1)",
    "match a truth": "match self.x:\n    case True:\n        self.y = 3\n    case 1:\n        self.y = 2",
    "early return": "if self.b:\n    return\nself.y = choose([1, 2])",
    "choice in a branch": "if self.x == 1:\n    self.y = choose([1, 2])\nelif choose([True, False]):\n    self.y = 0",
    "choice behind and": "self.b = self.x == 1 and choose([True, False])",
    "two choices": "self.x = choose(range(2))\nself.y = choose([self.x, 3])",
    "choice of a set": "self.x = choose(self.s)",
    "choice of nothing": "self.x = choose([i for i in range(3) if i > self.x])",
    "comprehension": "self.a = [i for i in range(3)]",
    "comprehension has its own names": "i = 3\nt = [i for i in range(2)]\nself.x = i",
    "any stops": "self.b = any(6 // (self.x - i) > 1 for i in (self.y + 3, self.x + 1))",
    "any stops before what fails": "self.b = any(i == 0 or 2 // -i < 0 or self.a[i - 9] == 1 for i in range(3))",
    "all stops": "self.b = all(-i // (2 - i) <= 0 for i in range(self.x + 1))",
    "max of those that are": "self.y = max((-3 // e for e in self.a if e != 0), default=0)",
    "sum and len": "self.y = sum(e for e in self.a if e > 1) + len([e for e in self.q if e])",
    "min of nothing": "self.x = min(e for e in self.q if e == self.x)",
    "a list is made at once": "for e in [e for e in self.a if e != 2]:\n    self.a[1] = 2\n    self.x = e",
    "enumerate zip reversed": "t = 0\nfor i, (e, f) in enumerate(zip(self.a, reversed(self.a))):\n    t += i * e - f\n"
    "self.y = t % 4",
    "sorted": "t = 0\nfor e in sorted(self.s):\n    t = t * 2 + e\nself.y = t % 4",
    "methods and properties": "self.y = (self.double + self.half(self.x) + self.constant()) % 4",
    "super": "self.y = self.scale()",
    "default and named arguments": "self.y = self.set_y(other=2, value=1)",
    "a closure": "self.y = add_two(self.x) % 4",
    "a decorated function": "self.y = decorated(self.x) % 4",
    "recursion over constants": "def_ = fact(3)\nself.y = def_ % 4",
    "global constants": "self.y = TABLE[self.x % 3] + LIMIT * 0 + n * 0",
    "walrus": "if (k := self.up()) > 1:\n    self.y = k",
    "pop in an expression": "self.x = self.q.pop() + 0 * len(self.q)",
    "queue operations": "self.q.insert(0, self.x)\nself.y = self.q.index(1)\nself.q.remove(1)",
    "extend": "self.q.extend([self.x, 1])",
    "list += list": "self.q += [self.x]",
    "sets": "self.s |= {self.x, 2}\nself.s -= {1}\nself.b = self.s == {0, 2}",
    "set operators": "self.s = (self.s | {self.x}) & {0, 1, 3} ^ {3}",
    "a set out of its type": "self.s = self.s | {self.x + 1}",
    "mapping": "self.m[self.x] = self.m.get(0, 3)\nself.b = 2 in self.m",
    "mapping without the key": "self.m[1] += 1",
    "mapping del": "del self.m[self.x]",
    "record is changed": "self.cells[self.x % 2].n = self.x\nself.cells[0].on = True",
    "an alias": "c = self.cells[1]\nc.n = self.x\nself.y = self.cells[1].n",
    "an alias of a list": "a = self.a\na[0] = self.x\nself.y = self.a[0]",
    "a copy of a record": "c = replace(self.cells[0], n=3)\nc.on = True\nself.cells[1] = replace(c)",
    "a new record": "self.boxes.append(Cell(self.x))",
    "a record is taken out": "self.boxes.append(Cell(1))\nc = self.boxes.pop(0)\nc.n = 2\nself.y = c.n",
    "an optional record": "if self.last is None:\n    self.last = Cell(self.x)\nelse:\n    self.last.n += 1",
    "an optional record that is not there": "self.y = self.last.n",
    "records are equal by value": "self.b = self.pair == Pair(2, 1) and self.cells[0] == Cell()",
    "a frozen record is one value": "p = self.pair\nself.pair = Pair(self.x, p.left)\nself.y = p.right",
    "a copy of a list": "self.a = list(self.a)\nself.a[0] = 3",
    "a deep copy": "c = copy.deepcopy(self.cells)\nc[0].n = 1\nself.y = c[0].n + self.cells[0].n",
    "a row repeated": "self.a = [self.x] * 3",
    "shifts and bits": "self.y = (self.x << 2 | 1) >> self.x & 3",
    "big numbers": "k = 3 ** 15 * (self.x + 1)\nself.y = k * k % 4",
    "abs and powers": "self.y = abs(self.y) ** 2 % 4 - 1",
    "in a range": "self.b = self.maybe in range(3) or self.x not in (1, 2)",
    "text": "self.kind = 'b' if self.kind == 'a' else 'a'",
    "text of another": "self.kind = 'ab'[0]",
    "an assertion": "assert self.x < 3, 'small'",
    "out of the type": "self.x += 2",
    "out of the type before the step is blocked": "self.a[0] += self.x + 3\nrequire(self.x > 3)",
    "division by zero": "self.y = 3 % self.x",
    "a tuple": "t = (self.x, self.b)\nself.x = 0\nself.y = t[0]",
    "unpacking keeps the order": "self.x, self.y = self.y, self.x",
    "shadowing": "n = 1\nself.y = n",
    "what fails as a statement": "1 // self.x\nself.b = True",
    "what fails and is not used": "k = (1 // self.x, 2)[1]\nself.b = True",
    "what fails and is compared with another type": "self.b = (1 // self.x) == Colour.RED",
    "what fails is not None": "self.b = (1 // self.x) is None",
    "what fails and is looked for in nothing": "self.b = (1 // self.x) in []",
    "an option that fails and is not chosen": "self.y = choose([1 // self.x, 2])",
    "a length of what fails": "self.y = len([3 // e for e in self.a])",
    "an element that nobody asked for": "self.a[self.x]\nself.b = True",
    "what fails behind what decides": "self.b = any(1 // e for e in self.a if e != 2)",
    "what fails behind and, for nothing": "self.x == 0 and 1 // self.x\nself.b = True",
    "an attribute of nothing that nobody asked for": "self.last.n\nself.b = True",
    "what fails in what is required": "require(1 // self.x >= 0 or True)\nself.b = True",
    "what fails and is printed": "print(1 // self.x)\nself.b = True",
    "an effect in what is printed": "print(f'{self.up()}')",
    "slice read": "self.q = self.a[1:]",
    "slice assign": "self.a[0:2] = [self.x, 1]",
    "slice negative": "self.q = self.a[-2:]",
    "slice step": "self.a = self.a[::-1]",
    "slice assign seq": "self.q[1:] = [self.x]",
    "slice assign other length array": "self.a[0:2] = [1]",
    "del slice": "del self.q[0:1]",
    "del index": "del self.q[0]",
    "rotate": "self.a = self.a[1:] + self.a[:1]",
    "rotate seq": "self.q = self.q[1:] + self.q[:1]",
    "seq + list": "self.q = self.q + [self.x]",
    "array to seq": "self.q = list(self.a)",
    "array from comp": "self.a = [e for e in self.q]",
    "slice stop before start": "self.q[2:1] = [3]",
    "slice bound changes": "self.q = self.q[self.up() % 2:]",
    "slice neg variable": "self.q = self.q[self.y:]",
    "slice assign variable": "self.q[self.x % 2:] = [2]",
    "slice too long": "self.q[0:0] = [1, 2, 3]",
    "filtered list of fields": "self.q = [c.n for c in self.cells if c.on]",
    "joined and filtered": "self.q = [e for e in self.q if e != 1] + [self.x]",
    "in a filtered list": "self.b = self.x in [e for e in self.a if e != 1]",
    "slice in a loop": "for i in range(2):\n    self.q = self.q[1:] + [i]",
    "variable filtered and changed": "t = [e for e in self.a if e]\nt.append(2)\nself.q = t[:3]",
    "local list filter twice": "t = [e for e in self.a if e]\nself.a[1] = 0\nself.y = len(t)",
    "condition on a list": "if self.q and not self.s:\n    self.b = True\nwhile self.q:\n    self.q.pop()",
}

REFUSED = {
    "an object in two places": "self.cells[0] = self.cells[1]",
    "one list twice": "self.a = self.q = [0, 1, 2]",
    "a list that a variable has": "t = [0, 1, 2]\nself.a = t",
    "a record that a variable has": "c = Cell(1)\nself.boxes.append(c)",
    "a constant list becomes a part": "self.a = TABLE",
    "a constant list is changed": "TABLE[0] = 1",
    "a row that is repeated": "t = [[0, 1]] * 2\nself.a = t[0]",
    "an alias that moved": "self.boxes.append(Cell(1))\nc = self.boxes[0]\nself.boxes.pop(0)\nself.y = c.n",
    "an alias that was replaced": "a = self.a\nself.a = [0, 0, 0]\nself.y = a[0]",
    "an alias that moves in the next round": "c = self.cells[0]\nfor i in range(self.x):\n    c.n = 1\n"
    "    self.cells[0] = Cell(2)",
    "a list that is replaced while it is gone through": "for e in self.a:\n    self.a = [3, 3, 3]",
    "an operand that is moved": "self.y = pick(self.cells, self.swap())",
    "a shallow copy": "self.cells = list(self.cells)",
    "identity of numbers": "self.b = self.x is self.y",
    "identity of lists": "self.b = self.a is self.q",
    "a generator that is kept": "g = (e for e in self.a)\nself.x = 0\nself.y = sum(g)",
    "a generator that is gone through": "for i in (i for i in range(3) if self.a[i] == 0):\n    self.a[0] = 1",
    "a change in a comprehension": "self.y = sum(self.up() for i in range(2))",
    "a variable of a loop that may have no rounds": "for i in range(self.x):\n    pass\nself.y = i",
    "choice of nothing": "self.x = choose(())",
    "an unbound local": "if self.b:\n    k = 1\nself.y = k",
    "a local before a global": "self.y = n\nn = 1",
    "a class attribute": "M.STEP = 3",
    "a class attribute by the object": "self.STEP = 3",
    "a global": "global LIMIT\nLIMIT = 3",
    "setattr": "setattr(M, 'STEP', 3)",
    "a nested function": "def f():\n    return 1\nself.y = f()",
    "lambda": "f = lambda: 1\nself.y = f()",
    "try": "try:\n    self.x += 1\nexcept OutOfType:\n    pass",
    "raise": "raise ValueError",
    "with": "with open('x') as f:\n    pass",
    "a fraction": "self.x = 3 / 2",
    "a truth that is a number": "self.b = 1",
    "random": "import random\nself.x = random.choice([1, 2])",
    "the order of a set": "for e in self.s:\n    self.x = e",
    "the order of a mapping": "self.x = [k for k in self.m][0]",
    "any element of a set": "self.x = self.s.pop()",
    "star": "first, *rest = self.a\nself.x = first",
    "a walrus in a comprehension": "self.b = any((k := e) > 1 for e in self.a)",
    "await": "self.x = yield",
    "an unknown attribute": "self.z = 1",
    "exec": "exec('self.x = 1')",
    "a format": "print(f'{self.x:3d}')",
    "print with an end": "print(self.x, end='')",
    "a slice with a step": "self.a[::2] = [1, self.x]",
    "records of another list": "self.boxes = [c for c in self.cells if c.on]",
    "an iterator": "i = iter(self.a)\nself.x = next(i)",
    "a set as a truth": "self.x = Colour.RED < Colour.GREEN",
}

FUNCTIONS = """
    def swap(self):
        self.cells = [Cell(3), Cell(3)]
        return 0


def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)


def pick(cells, k):
    return cells[k].n
"""


def text_of(body: str) -> str:
    return STATE + textwrap.indent(body, " " * 8) + "\n" + FUNCTIONS


@pytest.mark.parametrize("name", AGREES)
def test_as_python_does(name: str, tmp_path: Path) -> None:
    assert assert_agrees(model_of(text_of(AGREES[name]), tmp_path, "M"), 15) > 1


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        model_of(text_of(REFUSED[name]), tmp_path, "M")
    assert raised.value.span is not None, raised.value
    assert raised.value.span.text
