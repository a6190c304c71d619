"""What the user permits or rules out: ranges of choices, functions without a body, overflow, and what may happen."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.checking import check
from ouroboros.errors import InputError, UsageError
from ouroboros.languages import load
from ouroboros.verdict.report import Verdict

SENSOR = """#include <assert.h>
int read_sensor(int channel);
void beep(void);
int other(int);
int (*table[1])(int) = {other};
int main(void) {
    beep();
    assert(table[0](read_sensor(1)) + read_sensor(2) != 12);
}
"""


def program(folder: Path, text: str) -> Path:
    path = folder / "program.c"
    path.write_text(text)
    return path


def test_functions_without_a_body_are_told_with_their_lines_also_those_that_are_only_pointed_to(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"beep \(program.c:7\), other, read_sensor \(program.c:8\)"):
        load(program(tmp_path, SENSOR))


@pytest.mark.parametrize(("high", "verdict"), [(5, Verdict.HOLDS), (6, Verdict.VIOLATED)])
def test_stubs_give_back_anything_from_their_range(tmp_path: Path, high: int, verdict: Verdict) -> None:
    settings = {"stubs": ("all",), "ranges": (f"read_sensor=0..{high}", "other=-1..6")}
    assert check(load(program(tmp_path, SENSOR), settings=settings)).verdict is verdict


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"stubs": ("nothing",)}, "--stub nothing: the program has no such function"),
        ({"stubs": ("main",)}, "--stub main: it has a body"),
        ({"stubs": ("all",), "ranges": ("nothing=0..1",)}, "there are: other, read_sensor"),
        ({"ranges": ("x=1",)}, "write NAME=LO..HI"),
        ({"ranges": ("x=2..1",)}, "there is no number from 2 to 1"),
        ({"may": ("explode",)}, "choose from wake-spuriously, malloc-fail"),
    ],
)
def test_what_makes_no_sense_is_told(tmp_path: Path, settings: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load(program(tmp_path, SENSOR), settings=settings)


def test_a_function_that_gives_back_a_pointer_needs_a_stand_in(tmp_path: Path) -> None:
    text = "char *name(void); int main(void) { return name() != 0; }"
    with pytest.raises(InputError, match="gives back a value of type pointer"):
        load(program(tmp_path, text), settings={"stubs": ("name",)})


def test_ranges_narrow_choices_of_whole_integers(tmp_path: Path) -> None:
    text = """#include <assert.h>
    int __VERIFIER_nondet_int(void);
    unsigned hash;
    int main(void) {
        int x = __VERIFIER_nondet_int();
        hash = (x ^ x >> 3) * 2654435761u;
        assert(x >= -3 && x <= 12);
    }"""
    path = program(tmp_path, text)
    assert check(load(path, settings={"ranges": ("__VERIFIER_nondet_int=-3..12",)})).verdict is Verdict.HOLDS
    assert check(load(path, settings={"ranges": ("__VERIFIER_nondet_int=-3..13",)})).verdict is Verdict.VIOLATED


@pytest.mark.parametrize(("overflow", "verdict"), [("error", Verdict.VIOLATED), ("wrap", Verdict.HOLDS)])
def test_overflow_can_wrap(tmp_path: Path, overflow: str, verdict: Verdict) -> None:
    text = """#include <assert.h>
    int large = 2147483647;
    int main(void) { int more = large + 1; assert(more < large && more == -2147483647 - 1); assert(-more == more); }"""
    assert check(load(program(tmp_path, text), overflow=overflow)).verdict is verdict  # type: ignore[arg-type]


WAITING = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
void *waiter(void *argument) {
    pthread_mutex_lock(&lock);
    if (!ready)
        pthread_cond_wait(&changed, &lock);
    assert(ready);
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(void) {
    int *memory = malloc(4);
    *memory = 1;
    free(memory);
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}
"""


@pytest.mark.parametrize(
    ("may", "message"),
    [
        ((), None),
        (("wake-spuriously",), "the assertion `ready` is false"),
        (("malloc-fail",), "access through a null pointer"),
    ],
)
def test_what_may_happen_besides_is_found_where_it_matters(
    tmp_path: Path, may: tuple[str, ...], message: str | None
) -> None:
    report = check(load(program(tmp_path, WAITING), settings={"may": may}))
    assert (report.trace.violation.message if report.trace else None) == message
