"""Data races and leaks, which are looked for on request."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ouroboros.checking import check
from ouroboros.languages import load
from ouroboros.verdict.report import Verdict
from tests.languages.c.walks import Both

HEAD = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_bool(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int x, y;
_Atomic int a;
struct { char low, high; int few : 3, more : 5; } s;
char text[4] = "abc", other[4];
int deep(int n) { return n ? deep(n - 1) : x++; }
"""
TWO_THREADS = """
void *one(void *argument) { ONE; return NULL; }
void *two(void *argument) { TWO; return NULL; }
int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, two, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return x;
}
"""


def program(folder: Path, text: str) -> Path:
    path = folder / "program.c"
    path.write_text(HEAD + text)
    return path


def two_threads(one: str, two: str) -> str:
    return TWO_THREADS.replace("ONE", one).replace("TWO", two)


RACES = [
    ("x = 1", "x = 2", True),
    ("x = 1", "y = x", True),
    ("y = x", "y = 1 + y", True),
    ("int b = x; (void)b", "int c = x; (void)c", False),
    ("x = 1", "y = 2", False),
    ("a++", "a++", False),
    ("a++", "*(int *)&a = 1", True),
    ("pthread_mutex_lock(&lock); x++; pthread_mutex_unlock(&lock)",) * 2 + (False,),
    ("pthread_mutex_lock(&lock); x++; pthread_mutex_unlock(&lock)", "x++", True),
    ("__VERIFIER_atomic_begin(); y = 1; x++; __VERIFIER_atomic_end()",) * 2 + (False,),
    ("__VERIFIER_atomic_begin(); y = 1; x++; __VERIFIER_atomic_end()", "x = 1", True),
    ("__VERIFIER_atomic_begin(); if (__VERIFIER_nondet_bool()) x++; __VERIFIER_atomic_end()", "x = 1", True),
    ("s.low = 1", "s.high = 1", False),
    ("s.few = 1", "s.more = 1", True),
    ("memcpy(other, text, 4)", "text[3] = 0", True),
    ("memcpy(other, text, 3)", "text[3] = 0", False),
    ("memcpy(other, text, 4)", "other[0] = 0", True),
    ("x = strlen(text)", "text[1] = 0", True),
    ("deep(2)", "x++", True),
    ("deep(2)", "y++", False),
    ("while (!a); x = 1", "x = 2; a = 1", False),
    ("while (!y); x = 1", "x = 2; y = 1", True),
]


@pytest.mark.parametrize(("one", "two", "races"), RACES)
def test_races_are_next_steps_of_two_threads_to_the_same_memory(
    tmp_path: Path, one: str, two: str, races: bool
) -> None:
    path = program(tmp_path, two_threads(one, two))
    report = check(load(path), properties=["races"])
    assert report.verdict is (Verdict.VIOLATED if races else Verdict.HOLDS)
    if races:
        assert report.trace
        assert "a data race on " in report.trace.violation.message
    both = Both(path)
    for seed in range(3):
        both.walk(Random(seed), 40)


def test_a_race_is_told_with_what_both_threads_do(tmp_path: Path) -> None:
    report = check(load(program(tmp_path, two_threads("x = 1", "y = x"))), properties=["races"])
    assert report.trace
    line = 1 + HEAD.count("\n")
    assert report.trace.violation.message == (
        f"a data race on x: one 1 writes at program.c:{line + 1}, two 2 reads at program.c:{line + 2}"
    )


def test_a_race_that_nobody_asked_for_is_remarked(tmp_path: Path) -> None:
    (remark,) = check(load(program(tmp_path, two_threads("x = 1", "x = 2")))).remarks
    assert remark.startswith("a data race on x: ")
    assert "--property races" in remark
    assert not check(load(program(tmp_path, two_threads("x = 1", "y = 2")))).remarks


LEAKS = [
    ("malloc(4);", True),
    ("int *p = malloc(4); free(p);", False),
    ("int *p = malloc(4); *p = 1; p = malloc(4); free(p);", True),
    ("kept = malloc(4);", False),
    ("kept = malloc(sizeof(void *)); *kept = malloc(4);", False),
    ("kept = malloc(sizeof(void *)); *kept = malloc(4); free(kept); kept = 0;", True),
    ("kept = malloc(sizeof(void *)); *kept = malloc(4); exit(0);", False),
    ("void *p[1]; p[0] = malloc(4); use(p); return 0;", True),
    ("void *p[1]; p[0] = malloc(4); use(p); exit(0);", False),
    ("void *p[1]; p[0] = malloc(4); use(p); free(p[0]); return 0;", False),
    ("int n = 3 + x; int list[n]; list[0] = 1; return list[0] - 1;", False),
    ("kept = (void **)((char *)malloc(8) + 4);", False),
]


@pytest.mark.parametrize(("statements", "leaks"), LEAKS)
def test_leaks_are_what_nothing_points_to_and_was_not_freed(tmp_path: Path, statements: str, leaks: bool) -> None:
    text = f"void **kept; void use(void **p) {{ if (x) kept = p; }} int main(void) {{ {statements} }}"
    path = program(tmp_path, text)
    assert check(load(path), properties=["leaks"]).verdict is (Verdict.VIOLATED if leaks else Verdict.HOLDS)
    assert check(load(path)).verdict is Verdict.HOLDS
    Both(path).walk(Random(0), 40)


def test_a_thread_that_ends_may_lose_memory(tmp_path: Path) -> None:
    text = two_threads("int *p = malloc(4); x = p ? 1 : 2", "y = 1")
    report = check(load(program(tmp_path, text)), properties=["races", "leaks"])
    assert [answer.verdict for answer in report.answers if answer.property == "leaks"] == [Verdict.VIOLATED]
