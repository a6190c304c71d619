"""Small models that the tests share, and how they are loaded and explored."""

from __future__ import annotations

from typing import NamedTuple

from ouroboros.languages.dve import DveModel, load
from ouroboros.languages.dve.check import check_model
from ouroboros.languages.dve.model import Model
from ouroboros.source import Source
from ouroboros.system.interpret import successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import Overflow, System

MUTEX = """
// Two processes, one flag: both can be in the critical section.
byte flag;
const byte FREE = 0, TAKEN = 1;
process P {
  state idle, trying, critical;
  init idle;
  assert critical: flag == TAKEN;
  trans
    idle -> trying { guard flag == FREE; },
    trying -> critical { effect flag = TAKEN; },
    critical -> idle { effect flag = FREE; };
}
process Q {
  state idle, trying, critical;
  init idle;
  trans
    idle -> trying { guard flag == FREE; },
    trying -> critical { effect flag = TAKEN; },
    critical -> idle { effect flag = FREE; };
}
system async;
"""

EVERYTHING = """
/* All of the language in one place,
   which need not make sense. */
const int LIMIT = 2 + 1 * 2;
byte shared = 7, grid[LIMIT] = {1, 2, 3};
int low = -5;
channel plain, other;
channel {byte, int} queue[2], direct[0];
process Sender {
  byte i; int local[3];
  channel mine;
  state a, b, c;
  commit b;
  init a;
  assert a: shared < 100, b: i <= 3 or low < 0;
  trans
    a -> b { guard i < 3 and not (Receiver.q); sync plain!shared + 1; effect i = i + 1, local[i % 3] = i; },
      -> c { sync queue!{i, low - 1}; },
      -> c { guard (i << 1) >> 1 == i imply true; }
    b -> a { sync direct!{1, 2}; },
    c -> a { sync mine!; effect i = 0; },
    c -> a { guard Receiver->got[0] != 3, Receiver->x >= 0; effect shared = ~shared ^ (1 | 2) & 3; };
}
process Receiver {
  byte x, got[2] = {3};
  state p, q;
  init p;
  trans
    p -> q { sync plain?x; },
    q -> p { sync queue?{got[x % 2], x}; },
    p -> p { sync direct?{got[0], got[1]}; },
    p -> q { sync Sender->mine?; };
}
process Watch {
  state n, y;
  init n;
  accept buchi y;
  trans
    n -> n {},
    n -> y { guard Sender.c && low % 2 == -1; },
    y -> y { guard !Sender.a; };
}
system async property Watch;
"""


class Counts(NamedTuple):
    states: int
    transitions: int
    deadlocks: int
    failures: int


def source(text: str) -> Source:
    return Source("model.dve", text)


def checked(text: str) -> Model:
    return check_model(source(text))


def loaded(text: str, overflow: Overflow = "error") -> DveModel:
    return load(source(text), overflow)


def process(body: str, name: str = "P") -> str:
    return f"process {name} {{ {body} }}\n"


def explore(system: System) -> Counts:
    """Every reachable state, by the reference interpreter."""
    seen = set(system.initial)
    todo = list(seen)
    transitions = deadlocks = failures = 0
    while todo:
        steps = successors(system, todo.pop())
        transitions += len(steps)
        deadlocks += not steps
        failures += sum(step.failure is not None for step in steps)
        fresh = {step.state for step in steps if step.state is not None} - seen
        seen |= fresh
        todo += fresh
    return Counts(len(seen), transitions, deadlocks, failures)


def values(system: System, state: Vector) -> dict[str, int | str]:
    """The scalars of a state by name, and the elements of arrays as `name[index]`."""
    shown: dict[str, int | str] = {}
    for field in system.layout.fields:
        for index in range(field.elements):
            value = system.layout.read(state, field, index)
            name = field.name if field.length is None else f"{field.name}[{index}]"
            shown[name] = field.show(value) if field.value_names else value
    return shown


def only_step(system: System, state: Vector | None = None) -> Vector:
    """The one successor of a state (by default the initial one)."""
    (step,) = successors(system, system.initial[0] if state is None else state)
    assert step.state is not None
    return step.state
