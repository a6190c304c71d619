"""Questions about programs: places of threads, global variables, pointers; temporal logic and responses over them."""

from __future__ import annotations

import ctypes
from pathlib import Path
from random import Random

import numpy as np
import pytest

from ouroboros.checking import check
from ouroboros.errors import InputError
from ouroboros.languages import load
from ouroboros.languages.c.machine.observer import FIRST_POSITION
from ouroboros.languages.c.positions import Positions
from ouroboros.source import Source, Span
from ouroboros.verdict.report import Verdict
from tests.languages.c.walks import Both

PETERSON = """#include <pthread.h>
int flag[2], turn, inside;
double ratio;
unsigned char bytes[100];
struct item { int value; struct item *next; } first, *last = &first;
static int down(int n) { return n ? down(n - 1) : inside; }
void *worker(void *argument) {
    int me = (int)(long)argument;
    flag[me] = 1;
    turn = 1 - me;
    while (flag[1 - me] && turn == 1 - me)
        ;
critical:
    inside++;
    down(1);
    inside--;
    flag[me] = 0;
    last = &first;
    first.next = NULL;
    ratio = 1;
    return NULL;
}
int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    bytes[99] = 7;
    return 0;
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "peterson.c"
    path.write_text(PETERSON)
    return path


@pytest.mark.parametrize(
    ("invariant", "holds"),
    [
        ("worker[1]@critical + worker[2]@critical <= 1", True),
        ("!worker[1]@critical", False),
        ("!(worker[1]@down && worker[2]@down)", True),
        ("!worker[2]@15 || inside == 1", True),
        ("!main@peterson.c:26 || !worker[2]@worker", True),
        ("!@worker", False),
        ("last == &first", True),
        ("last != NULL && first.next == 0", True),
        ("bytes[99] == 0", False),
        ("bytes[98] == 0", True),
        ("@main || @end || bytes[99] == 7", True),
    ],
)
def test_conditions_over_places_and_variables(program: Path, invariant: str, holds: bool) -> None:
    assert check(load(program), invariants=[invariant]).verdict is (Verdict.HOLDS if holds else Verdict.VIOLATED)


@pytest.mark.parametrize(
    ("formula", "fair", "holds"),
    [
        ("G !(worker[1]@critical && worker[2]@critical)", False, True),
        ("F worker[1]@critical", True, True),
        ("F @end", True, True),
        ("F @end", False, False),
        ("G (flag[0] == 1 -> F flag[0] == 0)", True, True),
        ("G @end", True, False),
        ("F G @29", True, False),
    ],
)
def test_temporal_logic_over_places_and_variables(program: Path, formula: str, fair: bool, holds: bool) -> None:
    report = check(load(program), ltl=[formula], fairness="weak" if fair else None)
    assert [answer.verdict for answer in report.answers if answer.property == formula] == [
        Verdict.HOLDS if holds else Verdict.VIOLATED
    ]


def test_responses_over_places(program: Path) -> None:
    report = check(load(program), responses=["worker[1]@9 ~> worker[1]@critical"], fairness="weak")
    assert report.verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("invariant", "message", "hint"),
    [
        ("!worker[1]@critcal", "nor at such a label", "critical"),
        ("!workr@critical", "no thread runs a function workr", "main, worker"),
        ("!@2", "no thread is ever seen at peterson.c:2", "lines where others can see a thread are"),
        ("ratio == 1", "ratio is a floating-point number", ""),
        ("&inside2 == 0", "there is no variable inside2", "inside"),
    ],
)
def test_what_is_no_place_and_no_number_is_told(program: Path, invariant: str, message: str, hint: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check(load(program), invariants=[invariant])
    assert hint in (caught.value.hint or "")


def test_machine_code_and_reference_observe_the_same_places(program: Path) -> None:
    both = Both(program)
    positions = Positions(both.steps._description, "peterson.c")
    for text in ("worker[1]@critical", "worker@down", "main@26", "@18", "worker[2]@worker", "@main"):
        both.steps.watch(positions.read(text, Span(Source("", text), 0, 1)))
    machine = both.steps.machine()
    observe = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)(machine.valuation)
    random, seen = Random(1), 0
    for _ in range(10):
        state = both.machine.initial
        for _ in range(60):
            vector = np.array(state, np.uint64)
            found = observe(vector.ctypes.data)
            assert found == both.steps.observe(state)
            seen |= found
            on = [target for _, target in both.by_machine(state) if len(target) > 2]
            if not on:
                break
            state = random.choice(on)  # type: ignore[assignment]  # none of them has failed
    assert seen == (1 << 6) - 1 << FIRST_POSITION
