"""Where portable kernels come from: the package, where they were put when it was built; else, in a source checkout, the
user's cache, where Numba's work is kept until the engine changes.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from fcntl import LOCK_EX, flock
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ouroboros import cache as user_cache
from ouroboros.jit.portable import Kernel

_PACKAGE = Path(__file__).parents[1]
_ENGINE = ("jit", "graph", "engine", "search", "memory.py")
"""What kernels are made of."""

_BUILT_IN = Path(__file__).parent / "kernels"

_CONTENT = "content"
"""The file beside the kernels of a package that says of which engine they are."""

_CACHE_BYTES = 200 << 20


@cache
def content() -> str:
    """Names exactly this engine and its searches: a kernel calls into other files than the one that it stands in."""
    digest = sha256()
    for room in (_PACKAGE / name for name in _ENGINE):
        for path in sorted(room.rglob("*.py")) if room.is_dir() else [room]:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def built_in() -> Path | None:
    """The kernels that came with the package, if they are those of this engine."""
    with suppress(OSError):
        if (_BUILT_IN / _CONTENT).read_text() == content():
            return _BUILT_IN
    return None


@cache
def kept() -> Path | None:
    """Where the kernels of this engine that were compiled here are kept; None where nothing can be written."""
    try:
        compiler = version("numba")
    except PackageNotFoundError:
        return None
    return user_cache.directory(f"kernels/{content()}-{compiler}")


def mark_as_built_in(directory: Path) -> None:
    """Say that a directory has all kernels of this engine."""
    (directory / _CONTENT).write_text(content())


def are_known(module: str, width: int) -> bool:
    """Whether kernels of a module, named without its packages, for a width are there."""
    directory = built_in() or kept()
    return directory is not None and any(directory.glob(f"*.{module}.*.{width}"))


def portable(name: str, compile_it: Callable[[], Kernel]) -> Kernel:
    """A kernel of this engine; compiled, if it is not known yet."""
    directory = built_in() or kept()
    if directory is None:
        return compile_it()
    if known := read(directory, name):
        return known
    with _alone(directory / f"{name}.lock"):
        if known := read(directory, name):
            return known
        kernel = compile_it()
        write(directory, name, kernel)
    return kernel


def read(directory: Path, name: str) -> Kernel | None:
    content = user_cache.load(directory / name)
    return Kernel.unpacked(zlib.decompress(content)) if content else None


def write(directory: Path, name: str, kernel: Kernel) -> None:
    user_cache.save(directory / name, zlib.compress(kernel.packed(), 9), _CACHE_BYTES)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Of several processes that need a kernel for the first time, one compiles it, and the others find it on disk."""
    with ExitStack() as stack:
        # Not every file system has locks. Without them all of the processes compile it.
        with suppress(OSError):
            flock(stack.enter_context(lock.open("w")), LOCK_EX)
        yield
