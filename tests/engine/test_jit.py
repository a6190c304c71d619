"""Kernels are compiled once on a machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from ouroboros.engine import jit
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.exchange.processes import run_processes
from ouroboros.engine.hashing import hash_words


def _hash(vectors: Any, hashes: Any) -> None:
    for k in range(np.uint64(hashes.size)):
        hashes[k] = hash_words(vectors, k * np.uint64(2), np.uint64(2))


def test_of_processes_that_need_a_kernel_at_once_one_compiles_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "kernel_directory", lambda: tmp_path)
    compile_before = Dispatcher.compile
    compilations = 0

    def count(dispatcher: Dispatcher, signature: Any) -> Any:
        nonlocal compilations
        compilations += dispatcher.py_func is _hash
        return compile_before(dispatcher, signature)

    monkeypatch.setattr(Dispatcher, "compile", count)

    def work(exchange: Exchange) -> tuple[int, list[int]]:
        kernel: Callable[..., None] = jit.kernel("void(uint64[::1], uint64[::1])")(_hash)
        hashes = np.zeros(2, np.uint64)
        exchange.total(np.zeros(1, np.int64))
        kernel(np.array([1, 2, 1, 2], np.uint64), hashes)
        return compilations, hashes.tolist()

    results = run_processes(3, work)
    assert sum(compiled for compiled, _ in results) == 1
    assert all(hashes == results[0][1] and hashes[0] == hashes[1] for _, hashes in results)
