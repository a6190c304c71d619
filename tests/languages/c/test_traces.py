"""What counterexamples tell: calls, variables of functions, the heap, output and locks, as a debugger would."""

from __future__ import annotations

from pathlib import Path

from ouroboros.checking import check
from ouroboros.languages import load
from ouroboros.trace.text import rows

LIST = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
struct node *head;
struct { char tag; int cells[4]; int *at; } queue;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void push(int value) {
    struct node *fresh = malloc(sizeof *fresh);
    fresh->value = value;
    pthread_mutex_lock(&lock);
    fresh->next = head;
    head = fresh;
    pthread_mutex_unlock(&lock);
}
void *worker(void *argument) {
    for (int i = 0; i < 2; i++) {
        push(10 + i);
        printf("pushed %d\\n", i);
        queue.at = &queue.cells[i];
        queue.tag = 'a';
    }
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    free(head->next);
    return head->next->value;
}
"""


def told(folder: Path, text: str) -> list[tuple[str, str, str, tuple[str, ...]]]:
    path = folder / "program.c"
    path.write_text(text)
    (trace,) = [answer.trace for answer in check(load(path)).answers if answer.trace]
    return [(*row.head, row.changes) for row in rows(trace)]


def test_a_step_tells_of_calls_variables_heap_output_and_locks(tmp_path: Path) -> None:
    steps = told(tmp_path, LIST)
    assert ("worker 1", "9", "struct node *fresh = malloc(sizeof *fresh);") in [step[:3] for step in steps]
    changes = [change for *_, changed in steps for change in changed]
    for change in (
        "@worker 1: push:9 in worker:18",
        "worker 1: push.value: 10",
        "worker 1: push.fresh: &node#0",
        "fresh->value: 10",
        "worker 1 holds: lock",
        "lock: free → worker 1",
        "lock: worker 1 → free",
        "head: NULL → &node#0",
        "head->value: 10 → 11",
        "head->next->value: 10",
        "prints: pushed 0",
        "queue.at: &queue.cells[0] → &queue.cells[1]",
        "queue.tag: 0 → 97 'a'",
        "main waits for: the end of worker 1",
        "*head->next: freed",
        "fails: access to memory that is gone",
    ):
        assert change in changes, change


def test_variables_of_a_function_are_told_in_their_scope_alone(tmp_path: Path) -> None:
    text = """
    #include <assert.h>
    int x;
    int twice(int n) { int result = n; x = n; result += n; return result; }
    int main(void) {
        for (int n = 1; n < 3; n++)
            x += twice(n);
        assert(x == 0);
    }"""
    changes = [change for *_, changed in told(tmp_path, text) for change in changed]
    assert [change for change in changes if "main: " in change and "@" not in change and "." in change]
    assert "main: twice.n: 2" in changes
    assert "main: main.n: 2" in changes or "main: main.n: 1" in changes
    assert not [change for change in changes if "is gone" in change]


def test_static_variables_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    text = """
    #include <assert.h>
    int one(void) { static int calls; return ++calls; }
    int other(void) { static int calls = 5; return ++calls; }
    int main(void) { one(); other(); one(); assert(0); }"""
    changes = [change for *_, changed in told(tmp_path, text) for change in changed]
    assert "one.calls: 0 → 1" in changes
    assert "other.calls: 5 → 6" in changes
