"""What every test may rely on."""

from __future__ import annotations

from importlib import import_module

import pytest


@pytest.fixture(scope="session", autouse=True)
def _compiled_kernels() -> None:
    """On a fresh machine the kernels are compiled once, and not by a test that looks at what a command prints."""
    import_module("ouroboros.search.reachability")
    import_module("ouroboros.search.accepting")
    import_module("ouroboros.search.fair")
    import_module("ouroboros.engine.stores.tree")
