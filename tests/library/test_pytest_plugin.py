"""A model's properties as tests."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

MODEL = """\
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
ltl small { [] (x < 3) }
ltl again { [] <> (x == 0) }
"""
TESTS = """
import pytest

@pytest.mark.model("model.pml", time="60s")
def test_all(model_property):
    model_property.require()

def test_one(check_model):
    report = check_model("model.pml", properties=["again"])
    assert report.answers["again"].holds

def test_other(check_model):
    check_model("model.pml", invariants=["x < 2"])
"""


def test_the_trace_is_the_text_of_a_failure(pytester: pytest.Pytester) -> None:
    pytester.makefile(".pml", model=MODEL)
    pytester.makepyfile(TESTS)
    ran = pytester.runpytest_inprocess("-p", "no:xdist", "-o", "addopts=")
    ran.assert_outcomes(passed=4, failed=2)
    ran.stdout.fnmatch_lines(["*test_all[[]small[]]*", "*x: 2 → 3*", "*violated*"])
