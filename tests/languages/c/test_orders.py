"""Orders that only show if nothing is taken together that others may come between."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.checking import check
from ouroboros.errors import InputError
from ouroboros.languages import load
from ouroboros.verdict.report import Verdict

HEAD = """#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void __VERIFIER_assume(int); void reach_error(void); int __VERIFIER_nondet_bool(void);
"""


def verdict(folder: Path, text: str) -> Verdict:
    path = folder / "program.c"
    path.write_text(HEAD + text)
    return check(load(path)).verdict


def test_stores_under_two_conditions_are_two_steps(tmp_path: Path) -> None:
    text = """int x, a = 1, b = 1;
    void *watch(void *p) { int seen = x; assert(seen != 1); return 0; }
    int main(void) {
        pthread_t t; int c = a, d = b; pthread_create(&t, 0, watch, 0);
        if (c) x = 1;
        if (d) x = 2;
        pthread_join(t, 0); return 0; }"""
    assert verdict(tmp_path, text) is Verdict.VIOLATED


def test_a_store_that_may_be_left_out_is_left_out(tmp_path: Path) -> None:
    """x = 0; if (c) x = 1; is not x = c: a store of another thread in between must not be lost."""
    text = """int x, a; pthread_t t; int go;
    void *put(void *p) { x = 5; go = 1; return 0; }
    int main(void) {
        int c = a; pthread_create(&t, 0, put, 0); x = 0;
        if (go) { if (c) x = 1; int seen = x; assert(seen == 5 || seen == 0); }
        return 0; }"""
    assert verdict(tmp_path, text) is Verdict.HOLDS


def test_what_was_done_before_a_false_assumption_is_there_for_others(tmp_path: Path) -> None:
    text = """int x, y;
    void *run(void *p) { int n = y; x = 1; __VERIFIER_assume(n == 1); return 0; }
    int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); if (x == 1) reach_error(); return 0; }"""
    assert verdict(tmp_path, text) is Verdict.VIOLATED
    # In an atomic section nobody comes between.
    atomic = """int x, y;
    void __VERIFIER_atomic_set(int n) { x = 1; __VERIFIER_assume(n == 1); }
    void *run(void *p) { int n = y; __VERIFIER_atomic_set(n); return 0; }
    int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); if (x == 1) reach_error(); return 0; }"""
    assert verdict(tmp_path, atomic) is Verdict.HOLDS


def test_a_thread_that_was_made_is_there_for_others_before_its_false_assumption(tmp_path: Path) -> None:
    text = """int n;
    void *run(void *p) { __VERIFIER_assume((long)p == 1); return 0; }
    int main(void) { pthread_t t; n = 0; pthread_create(&t, 0, run, 0); reach_error(); return 0; }"""
    assert verdict(tmp_path, text) is Verdict.VIOLATED


def test_who_tries_to_join_may_come_too_early(tmp_path: Path) -> None:
    text = """int x;
    void *run(void *p) { x = 1; return 0; }
    int main(void) {
        pthread_t t; pthread_create(&t, 0, run, 0);
        if (x) { int code = pthread_tryjoin_np(t, 0); assert(CODE); }
        return 0; }"""
    assert verdict(tmp_path, text.replace("CODE", "code == 0")) is Verdict.VIOLATED
    assert verdict(tmp_path, text.replace("CODE", "code != 0")) is Verdict.VIOLATED
    assert verdict(tmp_path, text.replace("CODE", "code == 0 || code == 16")) is Verdict.HOLDS


def test_a_state_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"100,\d+ words"):
        verdict(tmp_path, "int many[200000]; int main(void) { many[3] = 1; return many[4]; }")
