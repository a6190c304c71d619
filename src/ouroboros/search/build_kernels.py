"""Compile all kernels, for all widths: `python -m ouroboros.search.build_kernels [directory]`.

The build of a wheel does this with the directory that becomes `ouroboros/jit/kernels`. What was compiled is also
kept in the cache, for later runs of this source checkout and for the next wheel; without a directory, only there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from pkgutil import walk_packages

from ouroboros import engine, graph, search
from ouroboros.jit import sources
from ouroboros.jit.kernels import Version, known


def versions() -> dict[str, Version]:
    """All kernels of the engine and its searches, by name."""
    for package in (graph, engine, search):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    return {version.name: version for kernel in known for version in kernel.versions()}


def build(directory: Path) -> Iterable[str]:
    """Put what is not in the directory yet there; the name of each kernel comes when that is done."""
    missing = [name for name in versions() if not (directory / name).exists()]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("fork")) as pool:
        jobs = {pool.submit(_compile, directory, name): name for name in missing}
        for job in as_completed(jobs):
            job.result()
            yield jobs[job]


def _compile(directory: Path, name: str) -> None:
    sources.write(directory, name, sources.portable(name, versions()[name].portable))


def main() -> None:
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    directory = given or sources.kept()
    if directory is None:
        sys.exit("kernels cannot be compiled: Numba is not installed, or the cache directory cannot be written")
    directory.mkdir(parents=True, exist_ok=True)
    for count, name in enumerate(build(directory), 1):
        print(f"\rcompiling kernels: {count}  {name:<80}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    if given:
        sources.mark_as_built_in(directory)


if __name__ == "__main__":
    main()
