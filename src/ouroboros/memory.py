"""Memory that costs nothing until it is used, and the limit that a run keeps to.

Arrays live in address space that is reserved once; the operating system gives a page when it is first touched. So an
array grows without being copied, and nobody has to guess its size.
"""

from __future__ import annotations

import mmap
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

Scalar = TypeVar("Scalar", bound=np.generic)

# The mmap module names this flag only from Python 3.12 on.
NO_RESERVE = 0x4000 if sys.platform == "linux" else 0

_RESERVED = 12
"""Arrays that may each become as large as the limit: so many times as much is reserved, where a process may not reserve
as it likes (`ulimit -v`)."""

_LINE = 16  # numbers of eight bytes; cache lines are fetched in pairs

WORD_BYTES = 8
Words = npt.NDArray[np.uint64]
Ids = npt.NDArray[np.uint32]
Bytes = npt.NDArray[np.uint8]


class OutOfMemory(MemoryError):
    """The next growth would break the memory limit, or nothing can be reserved."""

    weight = 1
    """What a worker that meets this adds to the sum over all workers."""


class OutOfDisk(OutOfMemory):
    """What is kept on disk, because it does not fit into memory, does not fit there either."""

    weight = 1 << 20


def lacking(weights: int) -> Literal["memory", "disk"]:
    """What the workers lack, from the sum of their weights."""
    return "disk" if weights >= OutOfDisk.weight else "memory"


class Budget:
    """The bytes that one worker may use for everything that grows, and who uses them."""

    def __init__(self, limit: int, scratch: str | None = None) -> None:
        self.limit = limit
        self.scratch = scratch
        """The directory for what does not fit; None: nothing goes to disk."""
        self._claims: dict[str, int] = {}
        self._buffers: set[str] = set()
        self._spare: list[Callable[[], None]] = []

    def anew(self) -> Budget:
        """The same for another search, when this one is over."""
        return Budget(self.limit, self.scratch)

    @property
    def used(self) -> int:
        return sum(self._claims.values())

    def used_for(self, *purposes: str) -> int:
        return sum(self._claims.get(purpose, 0) for purpose in purposes)

    @property
    def buffers(self) -> int:
        """What of it is as large for few states as for many."""
        return self.used_for(*self._buffers)

    def claim_buffers(self, purpose: str, size: int) -> None:
        """The same as `claim`, for what does not grow with the states."""
        self.claim(purpose, size)
        self._buffers.add(purpose)

    def claim(self, purpose: str, size: int) -> None:
        """Set what a purpose uses; raises OutOfMemory, and changes nothing, if that would break the limit."""
        while self.used - self._claims.get(purpose, 0) + size > self.limit:
            if not self._spare:
                raise OutOfMemory(purpose)
            self._spare.pop()()
        self._claims[purpose] = size

    def spare(self, give_up: Callable[[], None]) -> None:
        """Have something given up that can be done without, rather than run out of memory."""
        self._spare.append(give_up)

    def spare_nothing(self) -> None:
        """From now on everything is needed."""
        self._spare.clear()


def reserve(count: int, dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    """An array of zeros of which only the touched pages exist."""
    size = max(1, count) * np.dtype(dtype).itemsize
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE
    try:
        region = mmap.mmap(-1, size, flags=flags)
    except OSError as error:
        raise OutOfMemory from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        # Random access into gigabytes misses the TLB all the time with small pages.
        region.madvise(mmap.MADV_HUGEPAGE)
    buffer: npt.NDArray[Any] = np.frombuffer(region, dtype, max(1, count))
    return buffer


def counters(count: int) -> npt.NDArray[np.int64]:
    """A few numbers that one worker changes all the time, with no other worker's numbers on the same cache line."""
    return np.zeros(count + 2 * _LINE, np.int64)[_LINE : _LINE + count]


def available() -> int:
    """Bytes that this process could still take without harm to the machine."""
    candidates = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                candidates.append(int(line.split()[1]) * 1024)
    for limit, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        try:
            candidates.append(int(Path(limit).read_text()) - int(Path(used).read_text()))
        except (OSError, ValueError):
            continue
    address_space, _ = resource.getrlimit(resource.RLIMIT_AS)
    if address_space != resource.RLIM_INFINITY:
        candidates.append((address_space - _taken_address_space()) // _RESERVED)
    return max(0, min(candidates))


def _taken_address_space() -> int:
    sizes = Path("/proc/self/statm")
    return int(sizes.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE") if sizes.exists() else 0
