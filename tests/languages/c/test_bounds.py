"""Programs that grow without end, or never come to a visible action: nothing is decided, and what grows is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.checking import check
from ouroboros.languages import load
from ouroboros.verdict.report import Verdict

HEAD = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nint x;\n"


def program(folder: Path, text: str) -> Path:
    path = folder / "program.c"
    path.write_text(HEAD + text)
    return path


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "int f(int n) { x = n % 2; return f(n + 1) + 1; }\nint main(void) { return f(0); }",
            "calls nest without an end",
        ),
        ("int main(void) { unsigned i = 1; while (i) i += 2; return 0; }", "does not end at program.c:5"),
        ("int main(void) { x = 1; for (unsigned i = 1; i; i += 2); x = 2; }", "does not end at program.c:5"),
    ],
)
def test_what_has_no_end_is_unknown_with_its_place(tmp_path: Path, text: str, reason: str) -> None:
    report = check(load(program(tmp_path, text)))
    assert report.verdict is Verdict.UNKNOWN
    assert report.reason
    assert reason in report.reason


def test_what_is_wrong_beside_an_endless_loop_is_found(tmp_path: Path) -> None:
    text = """
    void *spin(void *argument) { for (unsigned i = 1; i; i += 2); return 0; }
    int main(void) { pthread_t t; x = 1; pthread_create(&t, 0, spin, 0); x = 2; assert(x == 1); }"""
    assert check(load(program(tmp_path, text))).verdict is Verdict.UNKNOWN
    text = text.replace("x = 1; pthread_create(&t, 0, spin, 0); x = 2", "pthread_create(&t, 0, spin, 0); x = 2")
    text = text.replace("for (unsigned", "x = 3; for (unsigned")
    assert check(load(program(tmp_path, text))).verdict is Verdict.VIOLATED
