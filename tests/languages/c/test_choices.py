"""Choices among many values: those that are tried stand for all others, or it is told that some are not."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ouroboros.checking import check
from ouroboros.languages import load
from ouroboros.verdict.report import Verdict
from tests.languages.c.test_reference import explored

_HEADER = """
extern unsigned char __VERIFIER_nondet_uchar(void); extern signed char __VERIFIER_nondet_schar(void);
extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int); extern void *__VERIFIER_nondet_pointer(void);
extern int rand(void); volatile int kept; int g;
"""


def _condition(random: Random, name: str) -> str:
    constant = random.randint(-140, 260)
    operand = random.choice(
        [
            name,
            f"{name} + {random.randint(-9, 9)}",
            f"{random.randint(-99, 99)} - {name}",
            f"(unsigned char){name}",
            f"{name} % {random.randint(1, 9)}",
            f"({name} & {random.choice([1, 3, 6, 7])})",
            f"~{name}",
            f"(unsigned){name}",
            f"(long){name}",
        ]
    )
    return f"{operand} {random.choice(['<', '<=', '==', '!=', '>', '>='])} {constant}"


def _random_program(seed: int, kept: str) -> str:
    """What is chosen is looked at in many ways; where it is also kept, every value has to be tried."""
    random = Random(seed)
    kind, name = random.choice([("signed char", "schar"), ("unsigned char", "uchar")])
    tests = " ".join(f"if ({_condition(random, 'x')}) found |= {1 << bit};" for bit in range(random.randint(1, 5)))
    case = f"switch (x) {{ case {random.randint(0, 99)}: found |= 32; break; case -3: found |= 64; }}"
    return f"""{_HEADER}
        int main(void) {{ {kind} x = __VERIFIER_nondet_{name}(); {kept}
            int found = 0; {tests} {case if random.random() < 0.5 else ""} return found; }}"""


@pytest.mark.parametrize("seed", range(10))
def test_what_is_tried_stands_for_every_value(tmp_path: Path, seed: int) -> None:
    few = explored(tmp_path, _random_program(seed, ""), 1)
    all_of_them = explored(tmp_path, _random_program(seed, "kept = x; kept = 0;"), 1)
    assert few.exits == all_of_them.exits
    assert few.states < all_of_them.states


def found(folder: Path, body: str) -> tuple[Verdict, str | None]:
    path = folder / "program.c"
    path.write_text(f"#include <assert.h>\n{_HEADER} int main(void) {{ {body} return 0; }}")
    report = check(load(path))
    return report.verdict, report.answers[0].reason


@pytest.mark.parametrize(
    "body",
    [
        "int x = __VERIFIER_nondet_int(); if (x > 1000 && x < 1002) g = 1; assert(g < 2);",
        "unsigned x = __VERIFIER_nondet_uint() % 400; g = x; assert(g < 400);",
        "int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n > 0 && n < 9); while (n--) g++; assert(g < 9);",
        "void *p = __VERIFIER_nondet_pointer(); g = p != 0; assert(g < 2);",
        "if (rand() % 3 == 1) g++; assert(g < 2);",
        "__VERIFIER_nondet_int(); assert(!g);",
        "kept = 5; g = rand() % kept; assert(g >= 0 && g < 5);",
    ],
)
def test_nothing_is_left_out_where_a_few_values_stand_for_all(tmp_path: Path, body: str) -> None:
    assert found(tmp_path, body)[0] is Verdict.HOLDS


def test_what_was_not_tried_is_told(tmp_path: Path) -> None:
    verdict, reason = found(tmp_path, "g = __VERIFIER_nondet_int(); assert(g == g);")
    assert verdict is Verdict.UNKNOWN
    assert reason
    assert "only some values of __VERIFIER_nondet_int" in reason
    assert found(tmp_path, "g = __VERIFIER_nondet_int(); assert(g != 3);")[0] is Verdict.VIOLATED
