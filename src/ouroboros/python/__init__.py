"""Models written in Python: what a model file imports.

A model is a subclass of `Model` whose annotated attributes are its state. It runs as plain Python, see `Run`, and
`ouro check FILE.py` compiles it as every other model.
"""

from ouroboros.python.declare import (
    Model,
    Step,
    action,
    choose,
    invariant,
    ltl,
    process,
    require,
    response,
    until,
)
from ouroboros.python.run import Run
from ouroboros.python.types import Array, Blocked, Channel, Int, Map, OutOfType, Seq, Set

__all__ = [
    "Array",
    "Blocked",
    "Channel",
    "Int",
    "Map",
    "Model",
    "OutOfType",
    "Run",
    "Seq",
    "Set",
    "Step",
    "action",
    "choose",
    "invariant",
    "ltl",
    "process",
    "require",
    "response",
    "until",
]
