"""The user's cache directory: what is expensive to compute and safe to lose."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

_CHECKSUM_BYTES = sha256().digest_size


def directory(kind: str) -> Path | None:
    """The directory for cached things of a kind, created on demand; None where nothing can be written."""
    try:
        path = _root() / kind
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # RuntimeError: the user has no home directory
        return None
    return path if os.access(path, os.W_OK | os.X_OK) else None


def load(path: Path) -> bytes | None:
    """What was saved there, if it is there and whole."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    saved = content[_CHECKSUM_BYTES:]
    if sha256(saved).digest() != content[:_CHECKSUM_BYTES]:
        return None
    with suppress(OSError):
        os.utime(path)
    return saved


def save(path: Path, content: bytes, most_bytes: int) -> None:
    """Keep something for the next run; beyond so many bytes in its directory, what was not used for longest is dropped.
    A cache that cannot be written is no reason to fail.
    """
    with suppress(OSError):
        descriptor, temporary = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(sha256(content).digest() + content)
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)
            raise
        _drop_oldest(path.parent, most_bytes)


def _drop_oldest(directory: Path, most_bytes: int) -> None:
    with os.scandir(directory) as entries:
        found = sorted(((entry.stat(), entry.path) for entry in entries), key=lambda item: -item[0].st_mtime_ns)
    total = 0
    for status, path in found:
        total += status.st_size
        if total > most_bytes:
            # Another process may have been faster.
            with suppress(OSError):
                os.unlink(path)


def _root() -> Path:
    if chosen := os.environ.get("OUROBOROS_CACHE"):
        return Path(chosen)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "ouroboros"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "ouroboros" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ouroboros"
    return Path.home() / ".cache" / "ouroboros"
