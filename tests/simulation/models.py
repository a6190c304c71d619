"""Small models of several languages, ready to run."""

from __future__ import annotations

from ouroboros.languages import Model, dve, murphi, promela
from ouroboros.simulation.simulation import Simulation
from ouroboros.source import Source

POST = """
mtype = { letter, parcel };
chan box = [2] of { mtype, byte };
chan desk = [0] of { byte };
byte delivered;
active proctype Sender() { box!letter(7); box!parcel(8); desk!9 }
active proctype Receiver() {
  byte what;
  box?letter(what); box?_(what); desk?what;
  atomic { delivered++; printf("delivered %d\\n", delivered) }
}
"""

LATE = """
byte n;
proctype Child(byte k) { n = k }
active proctype Parent() {
  short i;
  do
  :: i < 250 -> i++
  :: else -> break
  od;
  run Child(3);
  run Child(4);
}
"""
"""Processes that are made so late that nobody has seen them before."""

HANDSHAKE = """
channel c; channel {byte} b[2];
process P { state p, q, r; init p; trans p -> q { sync c!3; }, q -> r { sync b!{5}; }; }
process Q { byte x; state p, q, r; init p; trans p -> q { sync c?x; }, q -> r { sync b?{x}; }; }
system async;
"""


COUNTER = """
var x : 0..3;
startstate "zero" x := 0; endstartstate;
startstate "two" x := 2; endstartstate;
rule "up" x < 3 ==> x := x + 1; endrule;
rule "down" x > 0 ==> x := x - 1; endrule;
"""
"""In Murphi, with two initial states."""


def murphi_model(text: str) -> Model:
    return murphi.load(Source("model.m", text))


def promela_model(text: str) -> Model:
    return promela.load(Source("model.pml", text))


def dve_model(text: str) -> Model:
    return dve.load(Source("model.dve", text))


def simulated(text: str) -> Simulation:
    return Simulation(promela_model(text))


def run(simulation: Simulation, *statements: str) -> None:
    """Make steps, each the first possible one whose statement begins like this."""
    for statement in statements:
        for number, step in enumerate(simulation.possible()):
            assert step.action is not None
            if simulation.system.actions[step.action].parts[0].text.startswith(statement):
                simulation.take(number)
                break
        else:
            raise AssertionError(f"{statement} is not possible")
