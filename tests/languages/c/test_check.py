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
    with pytest.raises(InputError, match="one, two"):
        load(program(tmp_path, "void one(void); void two(void); int main(void) { one(); two(); }"))
