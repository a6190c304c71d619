"""One worker's file of a checkpoint: a header, then arrays as they are in memory, one after the other.

The header says what the arrays are called, of which type they are and how long. Whether the file is as it was written,
its seal tells, which the manifest has.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

_MAGIC = b"ouroboros share 1\n"
_LENGTH = 8  # bytes of a number
_BLOCK = 1 << 22
_DIGEST_BYTES = 16

Array = npt.NDArray[Any]


class Damaged(Exception):
    """A file of a checkpoint is not what was written."""


class Seal(NamedTuple):
    """By which a file is known."""

    bytes: int
    digest: str


@dataclass(frozen=True)
class Section:
    """An array, which may come in parts so that nobody needs a second copy of it."""

    name: str
    dtype: str
    count: int
    parts: Callable[[], Iterable[Array]]


def section(name: str, array: Array) -> Section:
    """A section that is one array."""
    return Section(name, array.dtype.str, array.size, lambda: (array,))


class _SealedFile:
    """A file that is fingerprinted while it is written."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._digest = blake2b(digest_size=_DIGEST_BYTES)
        self._bytes = 0

    def write(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self._digest.update(data)
        self._bytes += len(data)

    def close(self) -> Seal:
        """What was written is on the disk then."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return Seal(self._bytes, self._digest.hexdigest())

    def abandon(self) -> None:
        # What could not be written before cannot be flushed either.
        with suppress(OSError):
            self._file.close()


def write_atomically(path: Path, parts: Iterable[bytes | memoryview]) -> Seal:
    """Write a file that is there as a whole, or not at all, whatever happens meanwhile. Raises OSError."""
    temporary = path.with_name(f"{path.name}.tmp")
    file = _SealedFile(temporary)
    try:
        for part in parts:
            file.write(part)
        seal = file.close()
        temporary.replace(path)
        sync_directory(path.parent)
    except BaseException:
        file.abandon()
        temporary.unlink(missing_ok=True)
        raise
    return seal


def sync_directory(path: Path) -> None:
    """A name that was given is on the disk then."""
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def write_share(path: Path, numbers: dict[str, Any], sections: Sequence[Section]) -> Seal:
    """Raises OSError."""
    listed = [(item.name, item.dtype, item.count) for item in sections]
    header = json.dumps({"numbers": numbers, "sections": listed}).encode()

    def parts() -> Iterator[bytes | memoryview]:
        yield _MAGIC + len(header).to_bytes(_LENGTH, "little") + header
        for item in sections:
            for part in item.parts():
                if part.size:
                    yield np.ascontiguousarray(part).data.cast("B")

    return write_atomically(path, parts())


def verify(path: Path, seal: Seal) -> None:
    """Raises Damaged unless the file is the one that was sealed."""
    digest = blake2b(digest_size=_DIGEST_BYTES)
    size = 0
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
                size += len(block)
    except OSError as error:
        raise Damaged(f"{path.name} cannot be read: {error.strerror}") from None
    if size != seal.bytes:
        raise Damaged(f"{path.name} has {size} bytes instead of {seal.bytes}")
    if digest.hexdigest() != seal.digest:
        raise Damaged(f"{path.name} has another checksum than when it was written")


class Share:
    """A file that `write_share` has written, for reading."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise Damaged(f"{path.name} is no share of a checkpoint")
            length = int.from_bytes(file.read(_LENGTH), "little")
            header = json.loads(file.read(length))
            offset = file.tell()
        self.numbers: dict[str, Any] = header["numbers"]
        self._sections: dict[str, tuple[np.dtype[Any], int, int]] = {}
        for name, kind, count in header["sections"]:
            dtype = np.dtype(kind)
            self._sections[name] = dtype, count, offset
            offset += dtype.itemsize * count

    def count(self, name: str) -> int:
        return self._sections[name][1]

    def read(self, name: str, start: int = 0, stop: int | None = None) -> Array:
        """A part of an array."""
        dtype, count, offset = self._sections[name]
        stop = count if stop is None else stop
        return np.fromfile(self._path, dtype, stop - start, offset=offset + start * dtype.itemsize)
