"""The file of a certificate: records that are read and written one after the other, and a checksum at the end.

    the line `ouroboros certificate 1`
    records: one byte for the kind, four for the length, then the content
        H   the terms, as JSON: the model, what was asked, and the options that change what the answer means
        S   a section, as JSON: what the states after it are the evidence for
        B   some states of the section: four bytes for their number, then compressed rows
        E   the end of the records, empty
    32 bytes: SHA-256 of everything before them

Numbers are little-endian. A row is a state, as a vector of 64-bit words, and in a section about runs one more word, its
rank. The rows of a block are sorted. Each is XORed with the one before it, so that most bytes are zero; then the first
bytes of all rows stand together, then the second ones, and so on; then zlib.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.errors import InputError

Rows = npt.NDArray[np.uint64]
"""One state a row."""

MAGIC = b"ouroboros certificate 1\n"
MOST_ROWS = 1 << 16
"""In a block."""

_ANY_VERSION = MAGIC[:-2]
_CHECKSUM_BYTES = 32
_LEVEL = 6
_HEAD_BYTES = 5
_COUNT_BYTES = 4


class Record(NamedTuple):
    kind: bytes
    content: bytes


def encoded(rows: Rows) -> bytes:
    """A block of at most MOST_ROWS rows, sorted and compressed."""
    rows = rows[np.lexsort(rows.T[::-1])].astype("<u8")
    rows[1:] ^= rows[:-1].copy()
    columns = np.ascontiguousarray(rows.view(np.uint8).reshape(len(rows), -1).T)
    return len(rows).to_bytes(_COUNT_BYTES, "little") + zlib.compress(columns.tobytes(), _LEVEL)


def decoded(content: bytes, words: int) -> Rows:
    """The rows of a block; raises InputError where it is none with rows of this length."""
    count = int.from_bytes(content[:_COUNT_BYTES], "little")
    if len(content) < _COUNT_BYTES or not 0 < count <= MOST_ROWS:
        raise InputError("a block of states has an impossible length")
    size = count * words * 8
    decompressor = zlib.decompressobj()
    try:
        # No more than there may be, whatever a file says.
        data = decompressor.decompress(content[_COUNT_BYTES:], size)
    except zlib.error as error:
        raise InputError(f"a block of states cannot be decompressed: {error}") from None
    if len(data) != size or not decompressor.eof or decompressor.unused_data:
        raise InputError(f"a block of states has not {count} rows of {words} words")
    columns = np.frombuffer(data, np.uint8).reshape(words * 8, count)
    rows: Rows = np.ascontiguousarray(columns.T).view("<u8").astype(np.uint64)
    return np.bitwise_xor.accumulate(rows, axis=0)


class CertificateWriter:
    """Writes to a file beside the one that is asked for, which appears only when it is complete."""

    def __init__(self, path: str | Path) -> None:
        """Raises OSError, here and later."""
        self._path = Path(path)
        self._part = self._path.with_name(self._path.name + ".part")
        self._file: BinaryIO = self._part.open("wb")
        self._sum = sha256()
        self._write(MAGIC)

    def terms(self, terms: dict[str, Any]) -> None:
        self._record(b"H", _json(terms))

    def section(self, section: dict[str, Any]) -> None:
        self._record(b"S", _json(section))

    def block(self, rows: Rows) -> None:
        self._record(b"B", encoded(rows))

    def finish(self) -> None:
        """Complete the file, and put it in its place."""
        self._record(b"E", b"")
        self._file.write(self._sum.digest())
        self._file.close()
        self._part.replace(self._path)

    def give_up(self) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)

    def _record(self, kind: bytes, content: bytes) -> None:
        self._write(kind + len(content).to_bytes(_HEAD_BYTES - 1, "little"))
        self._write(content)

    def _write(self, data: bytes) -> None:
        self._sum.update(data)
        self._file.write(data)


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False, sort_keys=True).encode()


@dataclass(frozen=True)
class Section:
    """What the states after it are the evidence for."""

    content: dict[str, Any]
    blocks: list[bytes]


@dataclass(frozen=True)
class Certificate:
    terms: dict[str, Any]
    sections: tuple[Section, ...]


def read_certificate(path: str | Path) -> Certificate:
    """Raises InputError where the file cannot be read, is no certificate, or has changed since it was written."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a directory", hint="name one certificate inside it") from None
    except OSError as error:
        raise InputError(f"{path}: the file cannot be read: {error.strerror}") from None
    if data.startswith(_ANY_VERSION) and not data.startswith(MAGIC):
        raise InputError(f"{path}: a certificate in another format, of a later version of Ouroboros")
    if not data.startswith(MAGIC):
        raise InputError(f"{path}: this is no certificate", hint="`ouro check MODEL --certificate FILE` writes one")
    try:
        records = list(_records(data))
        if sha256(data[:-_CHECKSUM_BYTES]).digest() != data[-_CHECKSUM_BYTES:]:
            raise InputError("its checksum is wrong: it is not what was written")
        return _assembled(records)
    except InputError as error:
        raise InputError(f"{path}: the certificate is damaged: {error.message}") from None


def _records(data: bytes) -> Iterator[Record]:
    at, end = len(MAGIC), len(data) - _CHECKSUM_BYTES
    while at + _HEAD_BYTES <= end:
        kind, size = data[at : at + 1], int.from_bytes(data[at + 1 : at + _HEAD_BYTES], "little")
        at += _HEAD_BYTES
        if at + size > end:
            break
        yield Record(kind, data[at : at + size])
        at += size
        if kind == b"E":
            if at != end:
                raise InputError("there is something behind its end")
            return
    raise InputError("it is cut short")


def _assembled(records: list[Record]) -> Certificate:
    terms: dict[str, Any] | None = None
    sections: list[Section] = []
    for number, (kind, content) in enumerate(records):
        if (kind == b"H") != (number == 0):
            raise InputError("it does not begin with its terms")
        if kind == b"H":
            terms = _object(content)
        elif kind == b"S":
            sections.append(Section(_object(content), []))
        elif kind == b"B" and sections:
            sections[-1].blocks.append(content)
        elif kind != b"E":
            raise InputError(f"a record of an unknown kind, {kind!r}")
    if terms is None:
        raise InputError("it has no terms")
    return Certificate(terms, tuple(sections))


def _object(content: bytes) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise InputError("its terms cannot be read")
    return found
