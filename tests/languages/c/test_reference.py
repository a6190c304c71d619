"""What programs do, by the reference: sequential ones as compiled ones do, threads in all orders."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import NamedTuple

import pytest

from ouroboros.languages.c.compile import CompilerOptions, compile_program
from ouroboros.languages.c.pipeline import PipelineOptions, prepare
from ouroboros.languages.c.reference.interpreter import Reference
from ouroboros.languages.c.reference.state import State
from tests.languages.c.random_programs import random_programs, reckless_program
from tests.languages.c.sequential import interpreted, really_run


@pytest.mark.parametrize("seeds", [range(5), range(10, 15)], ids=str)
def test_random_programs_do_what_compiled_ones_do(tmp_path: Path, seeds: range) -> None:
    path = tmp_path / "program.c"
    path.write_text(random_programs(seeds))
    assert interpreted(path) == really_run(path, reckless=False)


@pytest.mark.parametrize("seed", [2, 4, 7])
def test_arithmetic_fails_where_the_compilers_checks_fail(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "program.c"
    path.write_text(reckless_program(seed))
    assert interpreted(path) == really_run(path, reckless=True)


class Found(NamedTuple):
    states: int
    outputs: set[str]
    """What whole runs print."""
    exits: set[int]
    failures: set[tuple[int, str]]
    deadlocks: int


def explored(
    folder: Path, text: str, slots: int = 4, switches: tuple[str, ...] = (), most: int = 20_000, suffix: str = ".c"
) -> Found:
    path = folder / f"program{suffix}"
    path.write_text(text)
    linked = compile_program([path], CompilerOptions(), slots, switches)
    program = prepare(linked, PipelineOptions(slots, visible_output=True))
    assert not program.needs
    reference = Reference(program, slots)
    first = reference.initial()
    failures = {first.failure[:2]} if first.failure else set()
    start = (first.state, first.output)
    seen: set[tuple[State | None, str]] = {start}
    waiting = deque([start] if first.state else [])
    exits, outputs, deadlocks = set(), set(), set()
    while waiting and len(seen) < most:
        state, output = waiting.popleft()
        assert state is not None
        following = reference.successors(state)
        if state.over or not any(state.threads):
            exits.add(state.over - 1)
            outputs.add(output)
        elif not following:
            deadlocks.add(state)
        for each in following:
            if each.failure:
                failures.add(each.failure[:2])
            entry = (each.state, output + each.output)
            if each.state is not None and entry not in seen:
                seen.add(entry)
                waiting.append(entry)
    assert not waiting
    return Found(len({state for state, _ in seen}), outputs, exits, failures, len(deadlocks))


INCLUDES = (
    "#include <pthread.h>\n#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <semaphore.h>\n"
)


def two_threads(globals_: str, body: str, after: str = "return 0;") -> str:
    return f"""{INCLUDES}{globals_}
    void *run(void *argument) {{ long me = (long)argument; {body} return 0; }}
    int main(void) {{
        pthread_t t[2];
        for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, run, (void *)i);
        for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
        {after}
    }}"""


def test_an_increment_can_be_lost(tmp_path: Path) -> None:
    found = explored(tmp_path, two_threads("int x;", "x++;", "return x;"))
    assert found.exits == {1, 2}
    assert not found.failures


def test_no_increment_is_lost_under_a_lock_or_when_it_is_atomic(tmp_path: Path) -> None:
    lock = "int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"
    body = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"
    assert explored(tmp_path, two_threads(lock, body, "return x;")).exits == {2}
    assert explored(tmp_path, two_threads("_Atomic int x;", "x++;", "return x;")).exits == {2}
    assert explored(tmp_path, two_threads("int x;", "__sync_fetch_and_add(&x, 1);", "return x;")).exits == {2}


def test_a_false_assertion_is_told_with_its_text(tmp_path: Path) -> None:
    found = explored(tmp_path, two_threads("int x;", "x = me; assert(x == me);"))
    assert found.failures == {(1, "x == me")}


def test_locks_in_two_orders_can_deadlock(tmp_path: Path) -> None:
    lock = "pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};"
    body = """pthread_mutex_lock(&m[me]); pthread_mutex_lock(&m[1 - me]);
              pthread_mutex_unlock(&m[1 - me]); pthread_mutex_unlock(&m[me]);"""
    found = explored(tmp_path, two_threads(lock, body))
    assert found.deadlocks == 1
    assert found.exits == {0}


def test_all_orders_of_output_are_found(tmp_path: Path) -> None:
    found = explored(tmp_path, two_threads("", 'printf("%c", (char)(65 + me)); printf("%d", (int)me);'))
    assert found.outputs == {"A0B1", "AB01", "AB10", "BA01", "BA10", "B1A0"}


def test_a_condition_wakes_those_who_wait(tmp_path: Path) -> None:
    declared = (
        """pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int full, got;"""
    )
    body = """pthread_mutex_lock(&m); if (me) { full = 1; pthread_cond_signal(&c); }
        else { while (!full) pthread_cond_wait(&c, &m); got = full; } pthread_mutex_unlock(&m);"""
    found = explored(tmp_path, two_threads(declared, body, "return got;"))
    assert found.exits == {1}
    assert not found.deadlocks
    found = explored(tmp_path, two_threads(declared, body.replace("while (!full)", ""), "return got;"))
    assert found.deadlocks == 1  # the signal came before


def test_spurious_wake_ups_on_request(tmp_path: Path) -> None:
    declared = (
        """pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int full, got;"""
    )
    body = """pthread_mutex_lock(&m); if (me) { full = 1; pthread_cond_signal(&c); }
        else { if (!full) pthread_cond_wait(&c, &m); got = 1 + full; } pthread_mutex_unlock(&m);"""
    assert explored(tmp_path, two_threads(declared, body, "return got;")).exits == {2}
    assert explored(tmp_path, two_threads(declared, body, "return got;"), switches=("OURO_SPURIOUS",)).exits == {1, 2}


def test_barriers_semaphores_and_read_write_locks(tmp_path: Path) -> None:
    barrier = (
        "pthread_barrier_t b; int x[2]; __attribute__((constructor)) void i(void) { pthread_barrier_init(&b, 0, 2); }"
    )
    body = "x[me] = 1; pthread_barrier_wait(&b); assert(x[0] && x[1]);"
    assert explored(tmp_path, two_threads(barrier, body)).failures == set()
    semaphore = "sem_t s; int x; __attribute__((constructor)) void i(void) { sem_init(&s, 0, 1); }"
    assert explored(tmp_path, two_threads(semaphore, "sem_wait(&s); x++; sem_post(&s);", "return x;")).exits == {2}
    lock = "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int x, y;"
    body = """if (me) { pthread_rwlock_wrlock(&l); x++; y++; pthread_rwlock_unlock(&l); }
        else { pthread_rwlock_rdlock(&l); assert(x == y); pthread_rwlock_unlock(&l); }"""
    assert explored(tmp_path, two_threads(lock, body)).failures == set()


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("int *p = 0; *p = 1;", 2),
        ("int a[3], i = me + 3; a[i] = 1; return a[0];", 4),
        ("int *p = malloc(8); free(p); return *p;", 5),
        ("int *p = malloc(8); free(p + 1);", 6),
        ("int *p = malloc(8); free(p); free(p);", 7),
        ('char *s = (char *)"text"; s[0] = 1;', 8),
        ("return *gone();", 5),
        ("int n = 2147483647; n += me + 1;", 10),
        ("return 5 / me;", 11),
        ("return 1 << (me + 33);", 12),
        ("void (*volatile g)(void) = (void (*)(void))f; g();", 21),
        ("abort();", 23),
        ("for (; me < 5;) ;", 14),
        ("return f2(0) ;", 17),
    ],
)
def test_what_is_wrong_is_found(tmp_path: Path, body: str, kind: int) -> None:
    text = f"""{INCLUDES} int zero; int *f(int *p) {{ return p; }}
    int *gone(void) {{ int n = 3; return f(&n); }} int f2(int n) {{ return f2(n + 1) + 1; }}
    int *(*volatile keep)(int *) = f; int main(void) {{ int me = zero; {body} return 0; }}"""
    assert {each for each, _ in explored(tmp_path, text, 1).failures} == {kind}


def test_waiting_for_ever_is_a_step_that_leads_nowhere_else(tmp_path: Path) -> None:
    found = explored(tmp_path, two_threads("int x;", "x++; if (x == 2) for (;;) ;", "return x;"))
    assert not found.failures
    assert not found.deadlocks
    assert found.exits == {1}  # who sees 2 never ends


def test_heaps_that_differ_in_the_order_of_allocation_are_one_state(tmp_path: Path) -> None:
    declared = "int *p[2];"
    found = explored(tmp_path, two_threads(declared, "p[me] = malloc(4);"))
    # Who allocates first shows nowhere.
    again = explored(tmp_path, two_threads("int *p[2]; int q[2][1];", "p[me] = q[me];"))
    assert found.exits == again.exits == {0}
    text = (
        f"{INCLUDES} int *p; int main(void) {{ for (int i = 0; i < 50; i++) {{ p = malloc(4); free(p); }} return 0; }}"
    )
    assert explored(tmp_path, text, 1).states < 220


def test_recursion_keeps_frames(tmp_path: Path) -> None:
    text = (
        "int x = 10; int f(int n) { int k = x; return n < 2 ? k - 9 : n * f(n - 1); } int main(void) { return f(5); }"
    )
    assert explored(tmp_path, text, 1).exits == {120}


def test_keys_and_thread_locals_are_of_each_thread(tmp_path: Path) -> None:
    declared = """_Thread_local int own = 3; pthread_key_t k; int destroyed; void end(void *p) { destroyed++; }
        __attribute__((constructor)) void i(void) { pthread_key_create(&k, end); }"""
    body = "own += me + 1; pthread_setspecific(k, &own); assert(*(int *)pthread_getspecific(k) == 4 + me);"
    found = explored(tmp_path, two_threads(declared, body, "return own * 10 + destroyed;"))
    assert found.exits == {31, 32}  # destroyed++ is not atomic
    assert not found.failures


def test_nondeterminism_assumptions_and_atomic_sections(tmp_path: Path) -> None:
    text = """extern unsigned char __VERIFIER_nondet_uchar(void); extern void __VERIFIER_assume(int);
    int main(void) { unsigned char n = __VERIFIER_nondet_uchar(); __VERIFIER_assume(n % 50 == 7); return n; }"""
    assert explored(tmp_path, text, 1).exits == {7, 57, 107, 157, 207}
    section = "__VERIFIER_atomic_begin(); x++; __VERIFIER_atomic_end();"
    declared = "int x; void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);"
    assert explored(tmp_path, two_threads(declared, section, "return x;")).exits == {2}
    named = "int x; void __VERIFIER_atomic_add(void) { x++; }"
    assert explored(tmp_path, two_threads(named, "__VERIFIER_atomic_add();", "return x;")).exits == {2}


def test_peterson_is_safe_and_its_flaw_is_found(tmp_path: Path) -> None:
    declared = "int flag[2], turn, inside;"
    body = """flag[me] = 1; turn = 1 - me; while (flag[1 - me] && turn == 1 - me) ;
        inside++; assert(inside == 1); inside--; flag[me] = 0;"""
    assert not explored(tmp_path, two_threads(declared, body)).failures
    assert explored(tmp_path, two_threads(declared, body.replace("turn = 1 - me;", "turn = me;"))).failures
