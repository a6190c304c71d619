"""Kernels: compiled once, to what any machine can finish; called with what their signature says, and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
import pytest
from llvmlite import binding

from ouroboros import jit
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.exchange.processes import run_processes
from ouroboros.engine.hashing import hash_words
from ouroboros.errors import UsageError
from ouroboros.jit import address_of, compiler, inlined, sources
from ouroboros.search.build_kernels import versions


@pytest.fixture(autouse=True)
def _new_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OUROBOROS_CACHE", str(tmp_path))
    sources.kept.cache_clear()
    yield
    sources.kept.cache_clear()


def _hash(vectors: Any, hashes: Any) -> None:
    for k in range(np.uint64(hashes.size)):
        hashes[k] = hash_words(vectors, k * np.uint64(2), np.uint64(2))


def test_of_processes_that_need_a_kernel_at_once_one_compiles_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "built_in", lambda: None)
    compile_before = compiler.compiled
    compilations = 0

    def count(signature: str, function: Callable[..., Any]) -> Any:
        nonlocal compilations
        compilations += function is _hash
        return compile_before(signature, function)

    monkeypatch.setattr(compiler, "compiled", count)

    def work(exchange: Exchange) -> tuple[int, list[int]]:
        kernel: Callable[..., None] = jit.kernel("void(uint64[::1], uint64[::1])")(_hash)
        hashes = np.zeros(2, np.uint64)
        exchange.total(np.zeros(1, np.int64))
        kernel(np.array([1, 2, 1, 2], np.uint64), hashes)
        return compilations, hashes.tolist()

    results = run_processes(3, work)
    assert sum(compiled for compiled, _ in results) == 1
    assert all(hashes == results[0][1] and hashes[0] == hashes[1] for _, hashes in results)


@inlined
def _last(numbers: Any) -> int:
    return int(numbers[numbers.size - 1])


def _sum_of_lasts(numbers: Any, times: int) -> int:
    total = 0
    for _ in range(times):
        total += _last(numbers)
    return total


def test_calls_in_kernels_count_no_references() -> None:
    signature = "int64(int64[::1], int64)"
    assert jit.kernel(signature)(_sum_of_lasts)(np.array([3, 4]), 5) == 20
    assert "NRT_incref" not in str(binding.parse_bitcode(compiler.compiled(signature, _sum_of_lasts).code))


def _print(numbers: Any) -> None:
    print(numbers.size)


def test_a_kernel_that_needs_the_compiler_when_it_runs_is_refused() -> None:
    with pytest.raises(TypeError, match="which only Numba has"):
        compiler.compiled("void(int64[::1])", _print)


def _addresses(numbers: Any, addresses: Any) -> None:
    for k in range(addresses.size):
        addresses[k] = address_of(numbers, k)


def test_addresses_of_elements() -> None:
    numbers, addresses = np.zeros(5, np.uint32), np.zeros(5, np.int64)
    jit.kernel("void(uint32[::1], int64[::1])")(_addresses)(numbers, addresses)
    assert addresses.tolist() == [numbers.ctypes.data + 4 * k for k in range(5)]


def _of_all_kinds(
    small: Any, large: Any, flag: Any, table: Any, marks: Any, pair: Any, out: Any
) -> tuple[int, int, bool, int]:
    row, column = table.shape
    for k in range(marks.size):
        marks[k] = not marks[k]
    out[0] = pair[1][0] + pair[0][1]
    return small - 1, large, not flag, table[row - 1, column - 1]


def test_arguments_and_results_of_all_kinds() -> None:
    kernel: Callable[..., Any] = jit.kernel(
        "Tuple((int64, uint64, boolean, uint16))(int32, uint64, boolean, uint16[:, ::1], boolean[::1],"
        " Tuple((UniTuple(int64, 2), int64[::1])), int64[::1])"
    )(_of_all_kinds)
    table = np.arange(12, dtype=np.uint16).reshape(3, 4)
    marks, out = np.array([True, False]), np.zeros(1, np.int64)
    most = (1 << 64) - 1
    result = kernel(np.int64(-7), np.uint64(most), True, table, marks, ((5, -60), np.array([9])), out)
    assert result == (-8, most, False, 11)
    assert result[2] is False
    assert marks.tolist() == [False, True]
    assert out.tolist() == [-51]


class _Refused(NamedTuple):
    what: Any
    said: str


@pytest.mark.parametrize(
    "case",
    [
        _Refused(np.zeros(3, np.int64), "int64"),
        _Refused(np.zeros(3, np.uint32), "uint32"),
        _Refused(np.zeros((3, 1), np.uint64), r"uint64\[2\]"),
        _Refused(np.zeros(6, np.uint64)[::2], "contiguous: False"),
        _Refused(np.frombuffer(bytes(24), np.uint64), "writable: False"),
        _Refused([1, 2, 3], "list"),
        _Refused(None, "NoneType"),
    ],
    ids=lambda case: case.said,
)
def test_an_array_of_another_kind_is_refused(case: _Refused) -> None:
    kernel: Callable[..., Any] = jit.kernel("void(uint64[::1], uint64[::1])")(_hash)
    with pytest.raises(TypeError, match=case.said):
        kernel(np.zeros(6, np.uint64), case.what)
    with pytest.raises(TypeError, match=case.said):
        kernel(case.what, np.zeros(3, np.uint64))


def _quotient(numerator: int, denominator: int) -> int:
    return numerator // denominator


def test_a_division_by_zero_is_told() -> None:
    kernel: Callable[..., int] = jit.kernel("int64(int64, int64)")(_quotient)
    assert kernel(-7, 2) == -4
    with pytest.raises(ArithmeticError, match="_quotient"):
        kernel(1, 0)
    assert kernel(6, 3) == 2


def _count_up(times: int, numbers: Any) -> int:
    for _ in range(times):
        numbers[0] += 1
    return int(numbers[0])


def test_threads_call_a_kernel_at_the_same_time() -> None:
    kernel: Callable[..., int] = jit.kernel("int64(int64, int64[::1])")(_count_up)
    wrong = []

    def work(k: int) -> None:
        for times in range(k, 400, 7):
            numbers = np.zeros(1, np.int64)
            if kernel(times * 100, numbers) != times * 100 or numbers[0] != times * 100:
                wrong.append(times)

    threads = [Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_what_is_built_in_is_of_this_engine_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_BUILT_IN", tmp_path / "kernels")
    (tmp_path / "kernels").mkdir()
    sources.mark_as_built_in(tmp_path / "kernels")
    sources.built_in.cache_clear()
    assert sources.built_in() == tmp_path / "kernels"
    (tmp_path / "kernels" / "content").write_text("of another")
    sources.built_in.cache_clear()
    assert sources.built_in() is None
    sources.built_in.cache_clear()


def test_a_build_has_kernels_for_all_widths() -> None:
    names = versions().keys()
    assert {f"ouroboros.engine.stores.keys.intern_keys.{width}" for width in range(7)} <= names
    assert "ouroboros.search.owcty._reach" in names


def test_without_a_compiler_a_source_checkout_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "built_in", lambda: None)
    monkeypatch.delitem(sys.modules, "ouroboros.jit.compiler")
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(UsageError, match="pip install numba"):
        jit.kernel("int64(int64, int64)")(_quotient)(1, 1)
