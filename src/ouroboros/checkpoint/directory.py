"""The directory of a run's checkpoints.

    DIR/run.json             what the run was asked: written once, before it searches
    DIR/000007/worker-0 …    a generation: the share of each worker
    DIR/000007/manifest.json written last: a generation without it does not exist

Two generations are kept. Each JSON file carries a checksum of its own content, and a manifest the seals of the shares.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

from ouroboros import __version__
from ouroboros.checkpoint.shares import Damaged, Seal, sync_directory, write_atomically
from ouroboros.errors import UsageError

FORMAT = 1
_RUN, _MANIFEST = "run.json", "manifest.json"

Json = dict[str, Any]


class Directory:
    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock: BinaryIO | None = None

    def begin(self, run: Json) -> None:
        """Make it the directory of a new run; raises UsageError where that cannot be."""
        if self.exists():
            raise UsageError(
                f"--checkpoint {self.path}: there is a run in it already: `ouro resume {self.path}` goes on with it;"
                " for a new run name another directory, or remove this one"
            )
        if not self.path.absolute().parent.is_dir():
            raise UsageError(
                f"--checkpoint {self.path}: there is no directory {self.path.parent}: create it first, or name another"
            )
        try:
            self.path.mkdir(exist_ok=True)
            _write_json(self.path / _RUN, {"format": FORMAT, "ouroboros": __version__, **run})
        except OSError as error:
            raise UsageError(f"--checkpoint {self.path}: nothing can be written there: {error.strerror}") from None

    def confirm_writable(self) -> None:
        """Raises UsageError where no checkpoint could be written: that is better known before a search."""
        try:
            number = self.next_number()
            self.create(number)
            self.remove(number)
        except OSError as error:
            raise UsageError(f"{self.path}: nothing can be written there: {error.strerror}") from None

    def lock(self) -> None:
        """Raises UsageError where another process has locked it; the end of the process, any end, unlocks it."""
        self._lock = (self.path / _RUN).open("rb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"{self.path}: this run is going on already, in another process") from None
        except OSError:
            # A file system without locks: then nobody can tell.
            pass

    def unlock(self) -> None:
        if self._lock:
            self._lock.close()

    def exists(self) -> bool:
        """Whether it is the directory of a run."""
        return (self.path / _RUN).exists()

    def read_run(self) -> Json:
        """Raises UsageError where this is no directory of checkpoints, or one that this program cannot go on with."""
        if not self.exists():
            told = "there are no checkpoints in it" if self.path.is_dir() else "there is no such directory"
            raise UsageError(f"{self.path}: {told}: name a directory that was given to --checkpoint")
        try:
            run = _read_json(self.path / _RUN)
        except Damaged as damage:
            raise UsageError(f"{self.path}: {damage}: the run cannot be resumed") from None
        if run.get("format") != FORMAT:
            raise UsageError(
                f"{self.path}: written in format {run.get('format')}, and this program reads format {FORMAT}"
            )
        if run["ouroboros"] != __version__:
            # A state means what the version that made it takes it to mean.
            raise UsageError(
                f"{self.path}: written by Ouroboros {run['ouroboros']}, and this is {__version__}: resume it with that"
            )
        return run

    def generations(self) -> list[int]:
        """Those that are complete, the newest first."""
        return [number for number in self._numbers() if (self.path / _name(number) / _MANIFEST).exists()]

    def next_number(self) -> int:
        return max(self._numbers(), default=0) + 1

    def _numbers(self) -> list[int]:
        try:
            found = [int(entry.name) for entry in self.path.iterdir() if entry.name.isdigit()]
        except OSError:
            return []
        return sorted(found, reverse=True)

    def create(self, number: int) -> None:
        """Raises OSError; also where the directory of the checkpoints itself has vanished."""
        (self.path / _name(number)).mkdir()
        sync_directory(self.path)

    def remove(self, number: int) -> None:
        """What cannot be removed stays."""
        shutil.rmtree(self.path / _name(number), ignore_errors=True)

    def share(self, number: int, worker: int) -> Path:
        return self.path / _name(number) / f"worker-{worker}"

    def write_manifest(self, number: int, manifest: Json) -> None:
        """Makes a generation complete; raises OSError."""
        _write_json(self.path / _name(number) / _MANIFEST, manifest)

    def read_manifest(self, number: int) -> Json:
        """Raises Damaged."""
        return _read_json(self.path / _name(number) / _MANIFEST)

    def keep_only(self, numbers: set[int]) -> None:
        for number in self._numbers():
            if number not in numbers:
                self.remove(number)


def seals(manifest: Json) -> list[Seal]:
    return [Seal(*seal) for seal in manifest["shares"]]


def _name(number: int) -> str:
    return f"{number:06}"


def _write_json(path: Path, content: Json) -> None:
    text = json.dumps(content, ensure_ascii=False)
    sealed = json.dumps({"checksum": _checksum(text), "content": content}, ensure_ascii=False)
    write_atomically(path, [sealed.encode("utf-8", "surrogateescape")])


def _read_json(path: Path) -> Json:
    try:
        sealed = json.loads(path.read_bytes().decode("utf-8", "surrogateescape"))
        content: Json = sealed["content"]
        if sealed["checksum"] == _checksum(json.dumps(content, ensure_ascii=False)):
            return content
    except OSError as error:
        raise Damaged(f"{path.name} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        pass
    raise Damaged(f"{path.name} is damaged")


def _checksum(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
