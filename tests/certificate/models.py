"""Small models of each language, and what holds in them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

_DVE = """
byte turn = 0, inside = 0;
process P { state away, waits, works; init away;
  assert works: inside == 1;
  trans away -> waits { }, waits -> works { guard turn == 0; effect inside = inside + 1; },
        works -> away { effect inside = inside - 1, turn = 1; }; }
process Q { state away, works; init away;
  trans away -> works { guard turn == 1; effect inside = inside + 1; },
        works -> away { effect inside = inside - 1, turn = 0; }; }
"""

_PROMELA = """
#ifndef N
#define N 2
#endif
byte inside, turn;
chan done = [1] of { byte };
proctype worker(byte me) {
  byte rounds;
  do
  :: atomic { turn == me && rounds < 3 -> inside++ }; assert(inside == 1); rounds++; inside--; turn = (turn + 1) % N
  :: rounds == 3 -> break
  od;
  done ! me
}
init { byte i; atomic { do :: i < N -> run worker(i); i++ :: else -> break od } ; done ? i; done ? i }
"""

_MURPHI = """
const n: 3;
type place: 0 .. n;
var at: place; lap: boolean;
startstate begin at := 0; lap := false; end;
rule "step" at < n ==> at := at + 1; end;
rule "back" at = n ==> at := 0; lap := !lap; end;
invariant "in the ring" at <= n;
"""


class Certified(NamedTuple):
    name: str
    text: str
    options: tuple[str, ...]
    parts: int
    """Sections of the certificate."""


CERTIFIED = {
    "states of DVE": Certified("p.dve", f"{_DVE}system async;", (), 1),
    "a formula of DVE": Certified("p.dve", f"{_DVE}system async;", ("--ltl", "[](P.waits -> <> P.works)"), 1),
    "a formula that depends on ends": Certified(
        "p.dve",
        "byte x = 0; process P { state a; init a; trans a -> a { guard x < 9; effect x = x + 1; }; } system async;",
        ("--ltl", "<>[] x == 9", "--ltl", "[]<> x == 9"),
        2,
    ),
    "an invariant of DVE": Certified("p.dve", f"{_DVE}system async;", ("--invariant", "inside <= 1"), 1),
    "a property automaton": Certified(
        "p.dve",
        f"{_DVE}process Never {{ state wait, bad; init wait; accept bad; trans wait -> wait {{ }},"
        " wait -> bad { guard P.works; }, bad -> bad { guard turn == 0; }; } system async property Never;",
        (),
        2,
    ),
    "states of Promela": Certified("p.pml", _PROMELA, (), 1),
    "a formula of Promela": Certified("p.pml", _PROMELA + "ltl p { [](inside <= 1) && <>[](inside == 0) }", (), 2),
    "a never claim": Certified(
        "p.pml", _PROMELA + "never { do :: inside > 1 -> break :: else od; accept: do :: true od }", (), 2
    ),
    "acceptance of cycles": Certified(
        "p.pml", "byte x; active proctype P() { x = 1; accept: x = 2; end: do :: x = 3 - x od }", (), 2
    ),
    "states of Murphi": Certified("p.m", _MURPHI, (), 1),
    "a formula of Murphi": Certified("p.m", _MURPHI, ("--ltl", "[]<> at = 0 && []<> lap"), 1),
    "a deadlock that is allowed": Certified(
        "p.m", "var x: 0..3; startstate x := 0; end; rule x < 3 ==> x := x + 1; end;", ("--deadlock", "off"), 1
    ),
    "an overflow that wraps": Certified(
        "p.dve",
        "byte x = 250; process P { state a; init a; trans a -> a { effect x = x + 1; }; } system async;",
        ("--overflow", "wrap"),
        1,
    ),
    "another constant": Certified("p.pml", _PROMELA, ("-D", "N=3", "--safety"), 1),
}


def write(model: Certified, folder: Path) -> Path:
    path = folder / model.name
    path.write_text(model.text)
    return path
