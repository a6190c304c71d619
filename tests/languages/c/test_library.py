"""The C library: what its functions do is what those of this machine do."""

from __future__ import annotations

from pathlib import Path

from ouroboros.checking import check
from ouroboros.languages import load
from ouroboros.verdict.report import Verdict
from tests.languages.c.sequential import interpreted, really_run
from tests.languages.c.test_reference import explored
from tests.languages.c.walks import Both

_TEXT = r"""
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void last(void) { printf("last\n"); }
static void before(void) { printf("before\n"); }
__attribute__((constructor)) static void begins(void) { printf("begins\n"); }

int main(void) {
    char s[64], t[] = "one, two;three", *rest;
    for (int c = -1; c < 256; c++)
        printf("%d%d%d%d%d%d%d%d%d%d%d %c", !!isalpha(c), !!isdigit(c), !!isspace(c), !!isupper(c), !!islower(c),
               !!isalnum(c), !!ispunct(c), !!isxdigit(c), !!isprint(c), !!iscntrl(c), !!isblank(c), c % 8 ? ' ' : '\n');
    for (char *word = strtok_r(t, ", ;", &rest); word; word = strtok_r(NULL, ", ;", &rest)) puts(word);
    int n = snprintf(s, sizeof s, "[%5d|%-5d|%05d|%+d|%x|%X|%o]", 42, -42, -42, 42, 255u, 255u, 8u);
    printf("%d %s\n", n, s);
    n = snprintf(s, 8, "%s and %.2s|%8.3f|%-7.1f|%ld %hhd %c%%", "text", "abc", 3.14159, -2.25, 1L << 40, 300, 'z');
    printf("%d %s\n", n, s);
    snprintf(s, sizeof s, "%8.3f|%-7.1f|%.0f|%f", 3.14159, -2.25, 7.75, 1e6);
    puts(s);
    printf("%zu %zu %s %s\n", strspn("aabc", "ab"), strcspn("xyz;", ";"), strpbrk("hello", "ol"),
           strstr("abcabd", "abd"));
    printf("%d %d %d\n", strcasecmp("HeLLo", "hello"), strncasecmp("ABx", "aby", 2), memcmp("ab", "ac", 2) < 0);
    printf("%ld %ld %lu %ld %s\n", strtol("-0x1f", NULL, 0), strtol("077", NULL, 0), strtoul("12ab", &rest, 10),
           atol(" 12"), rest);
    printf("%.4f %.2f %d\n", strtod("12.5e", NULL), atof("-0.25"), atoi("99x"));
    div_t d = div(-7, 2);
    ldiv_t l = ldiv(17, -5);
    printf("%d %d %ld %ld\n", d.quot, d.rem, l.quot, l.rem);
    char *copy = strndup("abcdef", 3), u[8] = "xy";
    strncat(u, "abcdef", 3);
    memmove(u + 1, u, 3);
    printf("%s %s %s\n", copy, u, (char *)memchr("abc", 'b', 3));
    free(copy);
    errno = 0;
    atexit(last);
    atexit(before);
    return errno + 3;
}
"""


def test_functions_on_text_do_what_those_of_this_machine_do(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(_TEXT)
    assert interpreted(path) == really_run(path, reckless=False)


def test_machine_code_of_functions_on_text_agrees(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(_TEXT)
    report = check(load(path))
    assert report.verdict is Verdict.HOLDS


def test_threads_of_c11(tmp_path: Path) -> None:
    text = """#include <threads.h>
    int x; mtx_t m; cnd_t c; once_flag once = ONCE_FLAG_INIT; tss_t key; int freed;
    void start(void) { x = 1; } void gone(void *p) { freed++; }
    int f(void *a) { call_once(&once, start); mtx_lock(&m); tss_set(key, &x); x++; cnd_signal(&c); mtx_unlock(&m);
        return 7; }
    int main(void) { thrd_t t; int r; mtx_init(&m, mtx_plain); cnd_init(&c); tss_create(&key, gone);
        thrd_create(&t, f, 0); mtx_lock(&m); while (x < 2) cnd_wait(&c, &m); mtx_unlock(&m);
        thrd_join(t, &r); return r * 10 + x + freed; }"""
    result = explored(tmp_path, text, 2)
    assert (result.exits, result.failures, result.deadlocks) == ({73}, set(), 0)


_CANCELLED = """#include <pthread.h>
    #include <semaphore.h>
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; sem_t s; int told;
    void undo(void *p) { told = told * 10 + *(int *)p; } int one = 1, two = 2;
    void unlock(void *p) { undo(&two); pthread_mutex_unlock(p); }
    void *f(void *a) { pthread_cleanup_push(undo, &one); pthread_mutex_lock(&m); pthread_cleanup_push(unlock, &m);
        WAIT
        pthread_cleanup_pop(0); pthread_mutex_unlock(&m); pthread_cleanup_pop(0); return 0; }
    int main(void) { pthread_t t; void *r; pthread_create(&t, 0, f, 0); pthread_cancel(t); pthread_join(t, &r);
        if (pthread_mutex_trylock(&m)) return 99; return told + (r == PTHREAD_CANCELED ? 100 : 0); }"""


def test_threads_are_cancelled_where_they_wait_and_handlers_run(tmp_path: Path) -> None:
    for wait in ("while (1) pthread_cond_wait(&c, &m);", "sem_wait(&s);", "pthread_testcancel(); sem_wait(&s);"):
        result = explored(tmp_path, _CANCELLED.replace("WAIT", wait), 2)
        assert (result.exits, result.failures, result.deadlocks) == ({121}, set(), 0), wait
    held = "int old; pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old); pthread_testcancel();"
    assert explored(tmp_path, _CANCELLED.replace("WAIT", held), 2).exits == {0}
    alone = """#include <pthread.h>
    int main(void) { int a, b; pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &a);
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &b); return 10 * a + b; }"""
    assert explored(tmp_path, alone, 1).exits == {1}


def test_walks_with_cancelled_threads(tmp_path: Path) -> None:
    from random import Random

    path = tmp_path / "program.c"
    path.write_text(_CANCELLED.replace("WAIT", "while (1) pthread_cond_wait(&c, &m);"))
    both = Both(path)
    assert sum(both.walk(Random(seed), 60) for seed in range(4)) > 20


def test_timed_read_write_locks_and_semaphores_that_are_full(tmp_path: Path) -> None:
    text = """#include <pthread.h>
    #include <semaphore.h>
    #include <errno.h>
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int seen;
    void *f(void *a) { int r = pthread_rwlock_timedrdlock(&l, a); seen = r == ETIMEDOUT ? 1 : 2;
        if (!r) pthread_rwlock_unlock(&l); return 0; }
    int main(void) { pthread_t t; struct timespec w = {0, 0}; sem_t s; pthread_rwlock_wrlock(&l);
        pthread_create(&t, 0, f, &w); pthread_rwlock_unlock(&l); pthread_join(t, 0);
        if (sem_init(&s, 0, 2147483648u) != -1 || errno != EINVAL) return 9; return seen; }"""
    assert explored(tmp_path, text, 2).exits == {1, 2}


def test_variables_of_main_live_until_the_program_is_over(tmp_path: Path) -> None:
    text = """#include <pthread.h>
    void *f(void *a) { return *(int *)a ? a : 0; }
    int main(void) { pthread_t t; int x = 1; pthread_create(&t, 0, f, &x); return 0; }"""
    result = explored(tmp_path, text, 2)
    assert (result.exits, result.failures) == ({0}, set())
