"""Programs through everything: compiled, explored, and told of in their own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.checking import check
from ouroboros.errors import InputError
from ouroboros.languages import load
from ouroboros.trace.text import rows
from ouroboros.verdict.report import Verdict

PETERSON = """
#include <assert.h>
#include <pthread.h>

int flag[2], turn, inside;

void *worker(void *argument) {
    int me = (int)(long)argument;
    flag[me] = 1;
    TURN
    while (flag[1 - me] && turn == 1 - me)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    flag[me] = 0;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
"""


def program(folder: Path, text: str) -> Path:
    path = folder / "program.c"
    path.write_text(text)
    return path


def test_peterson_holds(tmp_path: Path) -> None:
    report = check(load(program(tmp_path, PETERSON.replace("TURN", "turn = 1 - me;"))))
    assert report.verdict is Verdict.HOLDS


def test_peterson_without_turns_is_violated_where_the_program_says(tmp_path: Path) -> None:
    report = check(load(program(tmp_path, PETERSON.replace("TURN", ""))))
    assert report.verdict is Verdict.VIOLATED
    (answer,) = [each for each in report.answers if each.trace]
    assert answer.trace is not None
    assert answer.trace.violation.message == "the assertion `inside == 1` is false"
    told = [(row.head.processes, row.head.statement, row.changes) for row in rows(answer.trace)]
    assert told[0][:2] == ("main", "pthread_create(&threads[i], NULL, worker, (void *)i);")
    assert told[-1] == ("worker 1", "assert(inside == 1);", ("fails: the assertion `inside == 1` is false",))
    changes = {change for _, _, changed in told for change in changed}
    assert {"flag[0]: 0 → 1", "flag[1]: 0 → 1", "inside: 1 → 2"} <= changes


@pytest.mark.parametrize(
    ("condition", "verdict"),
    [
        ("inside <= 1 && (turn == 0 || turn == 1)", Verdict.HOLDS),
        ("flag[0] + flag[1] < 2", Verdict.VIOLATED),
    ],
)
def test_conditions_are_about_global_variables(tmp_path: Path, condition: str, verdict: Verdict) -> None:
    model = load(program(tmp_path, PETERSON.replace("TURN", "turn = 1 - me;")))
    assert check(model, invariants=[condition]).verdict is verdict


def test_unknown_variables_are_told_with_those_that_are_meant(tmp_path: Path) -> None:
    model = load(program(tmp_path, PETERSON.replace("TURN", "turn = 1 - me;")))
    with pytest.raises(InputError, match="there is no variable insid"):
        check(model, invariants=["insid == 1"])


def test_what_does_not_compile_is_told_by_the_compiler(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected ';'"):
        load(program(tmp_path, "int main(void) { return 0 }"))


def test_functions_without_a_body_are_told_all_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"one \(program.c:1\), two \(program.c:1\)"):
        load(program(tmp_path, "void one(void); void two(void); int main(void) { one(); two(); }"))


def test_a_program_whose_threads_have_all_ended_has_ended(tmp_path: Path) -> None:
    text = "#include <pthread.h>\nint main(void) { pthread_exit(NULL); }"
    assert check(load(program(tmp_path, text))).verdict is Verdict.HOLDS


def test_threads_that_wait_for_each_other_are_a_deadlock(tmp_path: Path) -> None:
    text = """
    #include <pthread.h>
    pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
    void *worker(void *argument) {
        pthread_mutex_lock(&other);
        pthread_mutex_lock(&one);
        pthread_mutex_unlock(&one);
        pthread_mutex_unlock(&other);
        return 0;
    }
    int main(void) {
        pthread_t thread;
        pthread_create(&thread, 0, worker, 0);
        pthread_mutex_lock(&one);
        pthread_mutex_lock(&other);
        pthread_mutex_unlock(&other);
        pthread_mutex_unlock(&one);
        pthread_join(thread, 0);
    }"""
    report = check(load(program(tmp_path, text)))
    (trace,) = [answer.trace for answer in report.answers if answer.trace]
    assert trace.violation.kind == "deadlock"
    changes = {change for row in rows(trace) for change in row.changes}
    assert {"one: free → main", "other: free → worker 1"} <= changes
    assert any("waits for: the mutex one" in change for change in changes)
    assert any("waits for: the mutex other" in change for change in changes)


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        ("int *p = 0; *p = 1;", "access through a null pointer"),
        ("int *p = malloc(4); free(p); *p = 1;", "access to memory that is gone"),
        ("int *p = malloc(4); free(p); free(p);", "free of memory that was freed already"),
        ("int x; free(&x);", "free of what was never allocated"),
        ("int *p = malloc(8); p[2] = 1;", "access out of bounds"),
        ('char *p = (char *)"text"; p[0] = 1;', "a constant is written to"),
        ("large += 1;", "a signed integer overflows"),
        ("large /= zero;", "division by zero"),
        ("int (*g)(int) = (int (*)(int))two; g(1);", "a call of what is no such function"),
        ("large = 1 << (zero + 32);", "a shift by a negative number or by too many bits"),
    ],
)
def test_what_goes_wrong_is_found_and_replayed(tmp_path: Path, statements: str, message: str) -> None:
    head = "#include <stdlib.h>\nint large = 2147483647, zero;\nint two(int a, int b) { return a + b; }\n"
    text = f"{head}int main(void) {{ {statements} return zero; }}"
    report = check(load(program(tmp_path, text)))
    (trace,) = [answer.trace for answer in report.answers if answer.trace]
    assert trace.violation.message == message
    assert trace.violation.span is not None
    assert trace.violation.span.line == 4


def test_a_program_gets_the_room_that_it_needs(tmp_path: Path) -> None:
    text = """
    #include <assert.h>
    #include <pthread.h>
    #include <stdlib.h>
    struct node { struct node *next; int value; };
    static int sum(struct node *node) { return node ? node->value + sum(node->next) : 0; }
    int total;
    void *worker(void *argument) { __atomic_fetch_add(&total, (int)(long)argument, __ATOMIC_SEQ_CST); return 0; }
    int main(void) {
        struct node *list = 0;
        for (int i = 0; i < 20; i++) {
            struct node *node = malloc(sizeof *node);
            node->next = list;
            node->value = i;
            list = node;
        }
        assert(sum(list) == 190);
        pthread_t threads[4];
        for (long i = 0; i < 4; i++)
            pthread_create(&threads[i], 0, worker, (void *)i);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], 0);
        assert(total == 6);
    }"""
    assert check(load(program(tmp_path, text))).verdict is Verdict.HOLDS


def test_a_variable_that_is_defined_nowhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text("extern int missing; int main(void) { return missing; }")
    with pytest.raises(InputError, match="defined nowhere: missing"):
        load(path)
    path.write_text('#include <stdio.h>\nint main(void) { fprintf(stderr, "told"); return 0; }')
    assert check(load(path)).verdict == "holds"


ABORTING = """
#include <assert.h>
void abort(void);
unsigned char __VERIFIER_nondet_uchar(void);
void assume(int condition) { if (!condition) abort(); }
ERROR_FUNCTION
int main(void) { unsigned char number = __VERIFIER_nondet_uchar(); assume(number < 10); assert(number != TOLD); }
"""


@pytest.mark.parametrize(
    ("function", "told", "verdict"),
    [
        ("", 200, Verdict.VIOLATED),
        ("void reach_error(void) { assert(0); }", 200, Verdict.HOLDS),
        ("void reach_error(void) { assert(0); }", 9, Verdict.VIOLATED),
    ],
)
def test_abort_assumes_where_errors_have_a_function(tmp_path: Path, function: str, told: int, verdict: Verdict) -> None:
    path = tmp_path / "aborting.c"
    path.write_text(ABORTING.replace("ERROR_FUNCTION", function).replace("TOLD", str(told)))
    assert check(load(path)).verdict is verdict


def test_assumptions_of_verification_competitions_end_a_run_without_complaint(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
    #include <assert.h>
    extern int __VERIFIER_nondet_int(void);
    void assume_abort_if_not(int condition) { if (!condition) abort(); }
    int main(void) { int x = __VERIFIER_nondet_int(); assume_abort_if_not(x > 4); assert(x != 4); return 0; }"""
    assert check(load(program(tmp_path, text))).verdict is Verdict.HOLDS
