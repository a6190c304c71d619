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


@jit.inlined
def _last(numbers: Any) -> int:
    return int(numbers[numbers.size - 1])


def _sum_of_lasts(numbers: Any, times: int) -> int:
    total = 0
    for _ in range(times):
        total += _last(numbers)
    return total


def test_calls_in_kernels_count_no_references(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "kernel_directory", lambda: None)
    compiled: Any = jit._compiled("int64(int64[::1], int64)", _sum_of_lasts)
    assert compiled(np.array([3, 4]), 5) == 20
    assert "NRT_incref" not in "".join(compiled.inspect_llvm().values())


def _addresses(numbers: Any, addresses: Any) -> None:
    for k in range(addresses.size):
        addresses[k] = jit.address_of(numbers, k)


def test_addresses_of_elements() -> None:
    numbers, addresses = np.zeros(5, np.uint32), np.zeros(5, np.int64)
    jit.kernel("void(uint32[::1], int64[::1])")(_addresses)(numbers, addresses)
    assert addresses.tolist() == [numbers.ctypes.data + 4 * k for k in range(5)]
