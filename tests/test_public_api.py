"""The public surface, no more and no less."""

from __future__ import annotations

from importlib.metadata import version

import pytest

import ouroboros

NAMES = [
    "Answer",
    "Automaton",
    "Graph",
    "InputError",
    "Limits",
    "Model",
    "OuroborosError",
    "Report",
    "State",
    "Step",
    "Team",
    "Trace",
    "Verdict",
    "Violated",
    "Walk",
    "__version__",
    "automaton",
    "check",
    "explore",
    "load",
    "loads",
    "simulate",
]


def test_the_exported_names() -> None:
    assert ouroboros.__all__ == NAMES
    assert dir(ouroboros) == ouroboros.__all__


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there_and_says_what_it_is(name: str) -> None:
    found = getattr(ouroboros, name)
    assert found is not None
    assert name == "__version__" or found.__doc__


def test_no_other_name_is_there() -> None:
    with pytest.raises(AttributeError, match="chekc"):
        ouroboros.chekc  # noqa: B018 - that it is not there is what is tested


def test_the_version_is_the_package_s() -> None:
    assert ouroboros.__version__ == version("ouroboros-mc")
