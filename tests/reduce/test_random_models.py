"""Reductions change no verdict of random models; `bench/reductions.py` tries many more of them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reduce import random_dve, random_enabledness, random_rules
from tests.reduce.choices import Drawn
from tests.reduce.judging import compare
from tests.reduce.judging_runs import compare_formula
from tests.reduce.random_enabledness import RandomModel
from tests.reduce.random_formulas import random_formula


def examples(number: int) -> settings:
    """The same ones each time: a suite that fails now and then is no use to anyone."""
    return settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def differences(model: RandomModel, language: str) -> list[str]:
    """Not in all ways, but in those that matter most: there are more models that way."""
    return compare(model, language, lambda _: False).differences


@given(model=random_enabledness.models)
@examples(15)
def test_promela(model: RandomModel) -> None:
    assert not differences(model, "promela")


@given(model=random_dve.models)
@examples(10)
def test_dve(model: RandomModel) -> None:
    assert not differences(model, "dve")


@given(model=random_rules.models)
@examples(15)
def test_murphi(model: RandomModel) -> None:
    assert not differences(model, "murphi")


@pytest.mark.parametrize("language", ["promela", "dve", "murphi"])
@given(data=st.data())
@examples(6)
def test_formulas(language: str, data: st.DataObject) -> None:
    made = {"promela": random_enabledness, "dve": random_dve, "murphi": random_rules}[language]
    model = data.draw(made.models)
    if model.atoms:
        formula = random_formula(Drawn(data.draw), model.atoms)
        assert not compare_formula(model, language, formula, lambda _: False).differences
