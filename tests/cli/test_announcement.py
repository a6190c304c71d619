"""That kernels are compiled is told once: where the module that is asked about has any."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

import ouroboros
from ouroboros.cli.running import _SEARCHES
from ouroboros.engine.stores.choice import StoreChoice, StoreName

ROOT = Path(ouroboros.__file__).parent


STORES = [StoreChoice(name).kernels for name in get_args(StoreName)]


@pytest.mark.parametrize("module", [*(module for _, module in _SEARCHES.values()), *STORES])
def test_the_modules_have_kernels_by_width(module: str) -> None:
    texts = [path.read_text() for path in ROOT.rglob(f"{module}.py")]
    assert any("@kernel(" in text and "width)" in text for text in texts)
