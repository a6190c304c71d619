"""Properties of infinite runs have the verdict that Spin finds, on small models that show one point each.

The first line of a model names the property, the options with which `pan` checks it, and the verdict; both Spin and we
are held to that, whatever the algorithm.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from ouroboros.checking import check
from ouroboros.languages import load
from tests.peers.spin import judged_by_spin

MODELS = sorted((Path(__file__).parent / "promela_properties").glob("*.pml"))


class Expected(NamedTuple):
    name: str
    option: str
    verdict: str


def expected(path: Path) -> Expected:
    found = re.match(r"/\* (\w+) (-\w) ?: (\w+) \*/", path.read_text())
    assert found, f"{path} does not say what to expect"
    return Expected(*found.groups())


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_spin_finds_what_is_expected(path: Path, tmp_path: Path) -> None:
    wanted = expected(path)
    judged = judged_by_spin(path.read_text(), tmp_path, wanted.option, optimise="-O0")
    assert not isinstance(judged, str), judged
    assert (judged.error is not None) == (wanted.verdict == "violated")


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_every_algorithm_finds_what_is_expected(path: Path) -> None:
    name, _, verdict = expected(path)
    for algorithm in ("ndfs", "owcty", "map"):
        (answer,) = check(load(path), properties=[name], algorithm=algorithm).answers
        assert answer.verdict == verdict, algorithm
