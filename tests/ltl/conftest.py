"""Spot as an oracle."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def spot() -> ModuleType:
    """Spot, for comparison. It may be missing on a developer's machine, but not where it counts."""
    try:
        return importlib.import_module("spot")
    except ImportError:
        if os.environ.get("CI"):
            raise
        pytest.skip("Spot is not installed")
