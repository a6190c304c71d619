"""Memory that the workers of one machine share: each writes to its own part, and reads all of it."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

from ouroboros.memory import NO_RESERVE, OutOfMemory

_LINE = 64  # bytes of a cache line
_MOST, _LEAST = 1 << 36, 1 << 24  # bytes of a part: only what is touched exists


class Arena:
    """Created by one process, and inherited by those that it forks. Nothing is given back before all is."""

    def __init__(self, parts: int) -> None:
        self.memory, self._part = _map(parts)
        self.address = int(np.frombuffer(self.memory, np.uint8).__array_interface__["data"][0])
        self._next = [part * self._part for part in range(parts)]

    def allocate(self, part: int, size: int) -> int:
        """The place of so many zero bytes, which nobody else gets."""
        place = self._next[part]
        self._next[part] += -(-size // _LINE) * _LINE
        if self._next[part] > (part + 1) * self._part:
            raise OutOfMemory("messages")
        return place

    def array(self, place: int, count: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """The numbers at a place, as whoever wrote there last has left them."""
        return np.frombuffer(self.memory, dtype, count, place)

    def holds(self, part: int, place: int) -> bool:
        return part * self._part <= place < self._next[part]


def _map(parts: int) -> tuple[mmap.mmap, int]:
    """As much as the system gives, for it may count what is never touched."""
    size = _MOST
    while True:
        try:
            return mmap.mmap(-1, parts * size, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | NO_RESERVE), size
        except OSError as error:
            if size == _LEAST:
                raise OutOfMemory("messages") from error
            size //= 2
