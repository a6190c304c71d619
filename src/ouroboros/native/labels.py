"""The bits of a step's label that are not the number of its action."""

from __future__ import annotations

FAILURE = 1 << 31
"""The action failed."""

ASSERTED = 1 << 30
"""An assertion was false, and the action went on."""

TRANSIENT = 1 << 29
"""The successor is a transient state."""

REDUCED = 1 << 28
"""The state has other steps, which were left out."""

SPECIAL = FAILURE | ASSERTED | TRANSIENT
"""Those with which a step is more than an edge to a state that is stored."""

FLAGS = SPECIAL | REDUCED
