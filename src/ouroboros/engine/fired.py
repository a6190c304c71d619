"""Which actions were made at all: a note for each, behind the other notes of an expansion."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ouroboros.engine.jit import inlined
from ouroboros.native import FLAGS

FIRED = 44
"""Where these notes begin. Where nobody wants to know, there is no room for them."""

_FLAGS = np.uint32(FLAGS)


@inlined
def note_fired(notes: npt.NDArray[np.int64], label: np.uint32) -> None:
    at = FIRED + np.int64(label & ~_FLAGS)
    if at < notes.size:
        notes[at] = 1
