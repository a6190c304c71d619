"""What the user permits, or rules out, beyond what the program says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ouroboros.errors import UsageError

ALL = "all"
"""All functions without a body."""

_RANGE = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([+-]?\d+)\s*\.\.\s*([+-]?\d+)\s*")
_SWITCHES = {"wake-spuriously": "OURO_SPURIOUS", "malloc-fail": "OURO_MALLOC_FAILS"}


@dataclass(frozen=True)
class Permitted:
    wraps: bool = False
    """Whether signed arithmetic that overflows goes on with the low bits."""
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """From where to where the values are that a function chooses."""
    stubs: frozenset[str] = frozenset()
    """Functions without a body that give back anything."""
    switches: tuple[str, ...] = ()
    """Macros of the library, for what may happen besides."""


def read_ranges(texts: Sequence[str]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for text in texts:
        parts = _RANGE.fullmatch(text)
        if parts is None:
            raise UsageError(f"--range {text}: write NAME=LO..HI, such as __VERIFIER_nondet_int=0..9")
        name, low, high = parts[1], int(parts[2]), int(parts[3])
        if low > high:
            raise UsageError(f"--range {text}: there is no number from {low} to {high}")
        if not -(1 << 63) <= low <= high < 1 << 63:
            raise UsageError(f"--range {text}: these are no numbers of 64 bits")
        found[name] = (low, high)
    return found


def read_switches(names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name not in _SWITCHES:
            raise UsageError(f"--may {name}: choose from {', '.join(_SWITCHES)}")
    return tuple(dict.fromkeys(_SWITCHES[name] for name in names))
