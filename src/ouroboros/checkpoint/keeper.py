"""Who writes the checkpoints of a run, and knows where a resumed run stands.

A run is a sequence of searches. A checkpoint has the outcomes of those that are finished, and of the present one what
it needs to go on. Each worker has a keeper of its own; saving is collective, and the first worker keeps the books.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ouroboros.checkpoint.directory import Directory, Json
from ouroboros.checkpoint.shares import Damaged, Seal, Section, Share, write_share
from ouroboros.engine.exchange.base import Exchange
from ouroboros.errors import UsageError

_HALF = 64 // 4  # hexadecimal digits of a number
_SIGN = 1 << 63


@dataclass(frozen=True)
class Saved:
    """A search as it was when a checkpoint was written."""

    progress: Json
    """What all workers know: the stage, and its numbers."""
    paths: tuple[Path, ...]
    """The share of each worker that there was."""

    def shares(self, exchange: Exchange) -> dict[int, Share]:
        """Those that this worker reads, by the worker that wrote them: each is read by one."""
        try:
            return {at: Share(self.paths[at]) for at in range(exchange.rank, len(self.paths), exchange.size)}
        except (Damaged, OSError) as error:
            raise UsageError(f"the checkpoint cannot be read any more: {error}") from None


class Keeper:
    """The checkpoints of one run."""

    def __init__(self, directory: Directory, every: float, warn: Callable[[str], None] = lambda _: None) -> None:
        """Save about `every` so many seconds; `warn` is told of what goes wrong, and the search goes on."""
        self.directory = directory
        self.every = every
        self.written = 0
        """How often this process has saved, since the run was started or resumed."""
        self.failure: str | None = None
        """Why the last attempt failed, if it did."""
        self.resumed = False
        """Whether the run was ended before, and goes on."""
        self._warn = warn
        self._finished: list[Json] = []
        self._grown: list[int] = []
        self._growths = 0
        self._number = -1
        self._unfinished = self._stuck = False
        self._search: Json = {}
        self._remembered: Json | None = None
        self._paths: tuple[Path, ...] = ()
        self._newest: int | None = None
        self._last = time.monotonic()

    def resume(self, generation: int | None) -> None:
        """Go on from a generation that is known to be sound; without any, from the beginning."""
        self.resumed = True
        if generation is None:
            return
        manifest = self.directory.read_manifest(generation)
        self._newest = generation
        self._finished = manifest["finished"]
        self._grown = manifest["grown"]
        self._remembered = manifest["search"]
        self._paths = tuple(self.directory.share(generation, at) for at in range(len(manifest["shares"])))

    # The searches of a run ----------------------------------------------------------------------------------------

    def growth(self) -> int | None:
        """The next of the sites at which the model lacked room before: it must be given room there again."""
        return self._grown[self._growths] if self._growths < len(self._grown) else None

    def grow(self, site: int) -> None:
        """The model has got more room, as before or for the first time: then all searches are made again."""
        if self.growth() is None:
            self._grown.append(site)
            self._finished = []
            self._remembered = None
        self._growths += 1
        self._number = -1
        self._unfinished = self._stuck = False

    def algorithm(self) -> str | None:
        """What the next search was made by, if a checkpoint knows it: another number of workers changes nothing."""
        number = self._number + 1
        if number < len(self._finished):
            return str(self._finished[number]["algorithm"])
        return str(self._remembered["algorithm"]) if self._remembered and not self._unfinished else None

    def begin(self, algorithm: str, choice: str | None, identity: str, again: bool = False) -> Json | None:
        """The next search of the run begins; returns what is known of it, if it was finished before.

        Where the one before was ended by a limit, this one is not saved: a resumed run goes on with that. Nor is one
        that was finished, and is made `again` for what it leaves in memory.
        """
        self._number += 1
        self._stuck = self._unfinished
        if self._stuck:
            return None
        self._search = {"algorithm": algorithm, "choice": choice, "identity": identity}
        known = self._finished[self._number] if self._number < len(self._finished) else self._remembered
        if known and known["identity"] != identity:
            raise UsageError(f"{self.directory.path}: the checkpoint is of another search than this one")
        if again and self._number < len(self._finished):
            self._stuck = True
            return None
        self._unfinished = self._number == len(self._finished)
        return None if self._unfinished else self._finished[self._number]

    def saved(self) -> Saved | None:
        """What the present search goes on from, if it does."""
        return Saved(self._remembered["progress"], self._paths) if self._remembered and not self._stuck else None

    def finish(self, outcome: Json, leads: bool) -> None:
        """The present search is finished. Not collective: who `leads` saves that."""
        if self._stuck:
            return
        self._unfinished = False
        self._finished.append({**self._search, **outcome})
        self._remembered = None
        if leads:
            self._report(self._write(self._next(), None, []))

    # Saving -------------------------------------------------------------------------------------------------------

    def due(self, exchange: Exchange) -> bool:
        """Whether it is time to save; the first worker decides, and tells the others."""
        return exchange.rank == 0 and not self._stuck and time.monotonic() - self._last >= self.every

    def save(self, exchange: Exchange, progress: Json, numbers: Json, sections: Sequence[Section]) -> None:
        """Save the present search: `progress`, which all know, and each worker's own share. Collective.

        Where it fails for any worker, a warning is given, and the checkpoint before stays the newest.
        """
        if self._stuck:
            return
        first = exchange.rank == 0
        generation = self._next() if first else 0
        failed = 0
        if first:
            failed = _attempt(lambda: self.directory.create(generation))
        generation, failed = (int(value) for value in exchange.total(np.array([generation, failed], np.int64)))
        # For each worker: what went wrong, the size of its share, and its checksum in two halves.
        share = [0] * 4
        if not failed:
            share = self._write_share(self.directory.share(generation, exchange.rank), numbers, sections)
        shares = exchange.gather(share)
        if first:
            failed = failed or int(shares[:, 0].max())
            written = [_seal(*map(int, row[1:])) for row in shares]
            self._report(self._abandon(generation, failed) if failed else self._write(generation, progress, written))
        # Nobody searches on while the first worker is at the disk: the next checkpoint is a clean one.
        exchange.total(np.zeros(1, np.int64))

    def _next(self) -> int:
        return max(self.directory.next_number(), (self._newest or 0) + 1)

    def _write_share(self, path: Path, numbers: Json, sections: Sequence[Section]) -> list[int]:
        seal: list[Seal] = []
        failed = _attempt(lambda: seal.append(write_share(path, numbers, sections)))
        if failed:
            return [failed, 0, 0, 0]
        digest = seal[0].digest
        return [0, seal[0].bytes, _signed(int(digest[:_HALF], 16)), _signed(int(digest[_HALF:], 16))]

    def _write(self, generation: int, progress: Json | None, shares: list[Seal]) -> int:
        """Complete a generation, which exists if it has shares; returns the number of the error, or zero."""
        manifest = {
            "generation": generation,
            "grown": self._grown,
            "finished": self._finished,
            "search": None if progress is None else {**self._search, "progress": progress},
            "shares": shares,
        }

        def complete() -> None:
            if not shares:
                self.directory.create(generation)
            self.directory.write_manifest(generation, manifest)

        failed = _attempt(complete)
        if failed:
            return self._abandon(generation, failed)
        self.directory.keep_only({generation, self._newest or generation})
        self._newest = generation
        return 0

    def _abandon(self, generation: int, failed: int) -> int:
        self.directory.remove(generation)
        return failed

    def _report(self, failed: int) -> None:
        """Whatever has come of it, the next attempt is made when it is due."""
        self._last = time.monotonic()
        if failed:
            self.failure = os.strerror(failed)
            self._warn(f"no checkpoint could be written to {self.directory.path}: {self.failure}; the search goes on")
        else:
            self.failure = None
            self.written += 1


def _attempt(step: Callable[[], Any]) -> int:
    """Zero, or the number of the error of the operating system."""
    try:
        step()
    except OSError as error:
        return error.errno or errno.EIO
    return 0


def _signed(value: int) -> int:
    return value - (value & _SIGN) * 2


def _seal(size: int, upper: int, lower: int) -> Seal:
    return Seal(size, f"{upper % (2 * _SIGN):016x}{lower % (2 * _SIGN):016x}")
