"""Small models that the tests of the front end share, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping

from ouroboros.languages.promela.read.ast import Model, Process, Sequence
from ouroboros.languages.promela.read.parse import parse_model
from ouroboros.source import Source

EVERYTHING = """
#define LAST 3
#define twice(x) (x + x)
mtype = { ping, pong };
mtype:fruit = { apple, pear }
typedef Pair { byte left; short right[2] = 4 };
typedef Nest { Pair inner; bit flag };
chan hand = [1] of { mtype, byte };
chan box[2] = [LAST] of { Pair };
local byte x = twice(2), y[LAST] = { 1, 2 };
hidden int seen;
show bool shown = true;
unsigned small : 3 = 7;
Nest nest;
chan other = [2] of { Pair };

inline add(to, what) { byte old = to; to = old + what }
inline larger(a, b) {
  if
  :: a > b -> return a
  :: else -> return b
  fi
}

proctype worker(byte number; mtype:fruit kind; chan in) priority 2 provided (x < 200) {
  xr hand; xs other;
  byte i, m;
  Pair pair;
  nest.inner.right[1] = -number;
  hand?ping(i); hand?eval(number),_; hand?pong,3
  box[1]!pair; box[1]!!1,2,3; box[0]??pair; box[0]?<pair.left, _, 1>;
  if
  :: box[0]?[1,2,3] && len(box[0]) > 1 -> skip
  :: x > 1 -> x--
  :: else
  fi
  nempty(box[1]) || full(box[0])
again:
  do
  :: x < 5 -> x++; goto done
  :: x == 5; break
  od unless { timeout -> assert(x == (y[0] -> 1 : 2)) };
  for (i : 1 .. LAST) { atomic { y[i % LAST] = ~i ^ 3 | 4 & 5 << 1 } }
  for (i in y) { d_step { y[i] = 0; x = !x } }
  for (pair in other) { skip }
  select (m : 0 .. 4);
  add(x, i); y[0] = larger(x, 3);
  printf("x=%d %e\\n", x, kind); printm(kind); set_priority(_pid, 3);
  _ = get_priority(_pid) + _nr_pr + _priority;
end_done:
done:
}

active [2] D_proctype echo() { do :: hand!ping(_pid) :: hand!pong, 3 :: x > 100 -> break od }

init { pid p; p = run worker(1, apple, other); atomic { run echo(); p = run echo() priority 4 } }

trace { do :: hand!ping(_) :: box[0]?1,_,_ od }
never claim { accept: do :: np_ && !worker[3]@again && worker:i == 2 && enabled(0) && pc_value(1) > 2 && _last == 0 od }
ltl p { [] (x <= twice(100)) }
ltl { <> worker@done -> shown U (worker[2]:m == LAST) }
"""
"""A use of everything."""

PREPROCESSED_AWAY = """
mtype { a, b }
byte n
proctype P(byte k) {
  byte l = k
  do
  :: n < 3 -> n++
  :: else -> break
  od
  n = 0
}
init {
  run P(1)
  run P(2)
}
"""
"""Lines end statements, and no line begins with a hash sign."""


def source(text: str, name: str = "model.pml") -> Source:
    return Source(name, text)


def checked(text: str, definitions: Mapping[str, str] | None = None) -> Model:
    return parse_model(source(text), definitions)


def body(text: str, declarations: str = "") -> Sequence:
    """The statements of an init with this text."""
    return checked(f"{declarations} init {{ {text} }}").process("init").body


def process(text: str, name: str = "P") -> Process:
    return checked(text).process(name)
