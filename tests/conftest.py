"""What every test may rely on."""

from __future__ import annotations

import os
from importlib import import_module

import pytest
from hypothesis import settings

# The first call of a kernel compiles it: a deadline would measure that. Where a change is judged, inputs are the same
# each time, and fewer; new ones are found by who develops, and by the campaigns in `bench/`.
JUDGED = bool(os.environ.get("CI"))
settings.register_profile("without deadlines", deadline=None, derandomize=JUDGED, max_examples=60 if JUDGED else 100)
settings.load_profile("without deadlines")


def pytest_configure() -> None:
    """Oracles that are named and missing end the run at once, with one message."""
    try:
        import_module("tests.oracles.where")
    except FileNotFoundError as error:
        raise pytest.UsageError(str(error)) from error


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests on several ranks take longest: begun last, they would be waited for when all others are done."""
    items.sort(key=lambda item: "ranks" not in item.name)
