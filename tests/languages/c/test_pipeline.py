"""What is left of a program when it is ready to be run."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.errors import InputError
from ouroboros.languages.c.compile import CompilerOptions, compile_program
from ouroboros.languages.c.pipeline import PipelineOptions, prepare
from ouroboros.languages.c.program import Program
from ouroboros.languages.c.read.instructions import Binary, Call, Instruction, Load, Store
from ouroboros.languages.c.read.values import Global


def prepared(folder: Path, text: str, suffix: str = ".c", **options: bool) -> Program:
    path = folder / f"program{suffix}"
    path.write_text(text)
    return prepare(compile_program([path], CompilerOptions(), 4), PipelineOptions(4, **options))


def first_of_cuts(program: Program) -> list[Instruction]:
    return [program.module.functions[c.function].block(c.label).instructions[0] for c in program.all_cuts()]


def instructions(program: Program) -> list[Instruction]:
    return [i for f in program.module.functions.values() for b in f.blocks for i in b.instructions]


def test_a_step_begins_at_each_access_that_others_may_notice(tmp_path: Path) -> None:
    program = prepared(tmp_path, "int x, y; int main(void) { int a[3] = {1, 2, 3}; x = a[1]; return y + a[x & 1]; }")
    kinds = [type(each).__name__ for each in first_of_cuts(program)]
    # x is written, read again, y is read; main's end. The array is nobody else's.
    assert kinds == ["Store", "Load", "Load", "Call"]


def test_a_local_variable_whose_address_others_know_is_shared(tmp_path: Path) -> None:
    text = "int *p; int main(void) { int n = 1, m = 2; p = &n; n = 3; m = 4; return n + m; }"
    program = prepared(tmp_path, text)
    stores = [i for i in first_of_cuts(program) if isinstance(i, Store)]
    assert len(stores) == 3  # n at the beginning, p, n


def test_an_overflow_nobody_looks_at_is_kept(tmp_path: Path) -> None:
    program = prepared(tmp_path, "int main(void) { volatile int n = 2147483647; int m = n; m + 1; m * 2; return 0; }")
    checked = [i.opcode for i in instructions(program) if isinstance(i, Binary) and "nsw" in i.flags]
    assert checked == ["add", "mul"]


def test_what_passes_could_use_against_a_wrong_program_is_not_used(tmp_path: Path) -> None:
    """x + 1 > x is not taken for true, nor is a comparison dropped after an access through the same pointer."""
    program = prepared(
        tmp_path, "int x, *p; int main(void) { int n = x; int *q = p; *q = 1; return (n + 1 > n) + !q; }"
    )
    assert sum(type(i).__name__ == "Compare" for i in instructions(program)) == 2


def test_choices_come_first_in_their_blocks(tmp_path: Path) -> None:
    text = """int __VERIFIER_nondet_int(void); long __ouro_choose(long, long, const char *); int x, y;
    int main(void) { int n = x * 3; y = 1; int k = __ouro_choose(0, n, "k"); return k + n; }"""
    program = prepared(tmp_path, text)
    assert any(isinstance(i, Call) and i.callee == Global("__ouro_choose") for i in first_of_cuts(program))


def test_locks_are_one_step(tmp_path: Path) -> None:
    text = """#include <pthread.h>
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    int main(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }"""
    program = prepared(tmp_path, text)
    called = [i.callee.name for i in first_of_cuts(program) if isinstance(i, Call) and isinstance(i.callee, Global)]
    # The last one is the return of main, which ends the program.
    assert called == ["__ouro_begin", "__ouro_begin", "__ouro_begin"]
    assert len(first_of_cuts(program)) == 3


def test_a_thread_has_its_function_in_its_root(tmp_path: Path) -> None:
    text = """#include <pthread.h>
    int x; void *run(void *p) { x++; return 0; }
    int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); return x; }"""
    program = prepared(tmp_path, text)
    assert program.functions == ["__ouro_main", "__ouro_run.run"]
    assert "__ouro_results" not in program.module.variables  # nobody asks for them
    assert not program.calls
    accesses = [i for i in instructions(program) if isinstance(i, Load | Store) and i.pointer == Global("x")]
    assert [type(i) for i in accesses] == [Load, Load, Store]


def test_registers_that_live_at_a_cut(tmp_path: Path) -> None:
    program = prepared(tmp_path, "int x, y; int main(void) { int a = x, b = y; x = a; return b; }")
    assert [len(cut.live) for cut in program.all_cuts()] == [0, 1, 2, 1]


def test_thread_locals_are_arrays(tmp_path: Path) -> None:
    program = prepared(tmp_path, "_Thread_local int t = 5; int main(void) { t++; return t; }")
    assert str(program.module.variables["t"].type) == "[4 x i32]"


def test_functions_without_a_body_are_told(tmp_path: Path) -> None:
    program = prepared(tmp_path, "int far(int); int away(void); int main(void) { return far(1) + away(); }")
    assert set(program.needs) == {"far", "away"}


def test_recursion_and_pointers_to_functions_stay_calls(tmp_path: Path) -> None:
    text = """int f(int n) { return n ? f(n - 1) : 0; } int g(int n) { return n; } int (*h)(int) = g;
    int main(void) { return f(3) + h(4); }"""
    program = prepared(tmp_path, text)
    assert {"f", "g", "__ouro_main"} == set(program.functions)
    assert len(program.calls) == 3


def test_variadic_functions_take_their_arguments_from_memory(tmp_path: Path) -> None:
    text = """#include <stdarg.h>
    int sum(int n, ...) { va_list l; va_start(l, n); int s = 0; while (n--) s += va_arg(l, int); va_end(l); return s; }
    int main(void) { return sum(3, 1, 2, 3); }"""
    program = prepared(tmp_path, text)
    assert not program.needs
    assert program.functions == ["__ouro_main"]


def test_errors_of_the_compiler_are_shown_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"program\.c:1:.*error: "):
        prepared(tmp_path, "int main(void) { return undeclared; }")


def test_a_program_without_main_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no function main"):
        prepared(tmp_path, "int f(void) { return 0; }")
