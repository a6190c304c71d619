"""What every test may rely on."""

from __future__ import annotations

from importlib import import_module

import pytest
from hypothesis import settings

# The first call of a kernel compiles it: a deadline would measure that.
settings.register_profile("without deadlines", deadline=None)
settings.load_profile("without deadlines")


@pytest.fixture(scope="session", autouse=True)
def _compiled_kernels() -> None:
    """On a fresh machine the kernels are compiled once, and not by a test that looks at what a command prints."""
    import_module("ouroboros.search.reachability")
    import_module("ouroboros.search.accepting")
    import_module("ouroboros.search.fair")
    import_module("ouroboros.engine.stores.tree")
