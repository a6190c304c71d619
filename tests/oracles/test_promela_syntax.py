"""Every Promela model of the collections is read, where they are at hand; but for those that Spin refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.parse import parse_model
from ouroboros.source import Source
from tests.oracles.where import MICRO, ORACLES, PRESENT

MODELS = [
    *sorted((ORACLES / "spin").glob("*.pml")),
    *sorted((ORACLES / "beem_promela").glob("*.pm")),
    *sorted(MICRO.glob("*.pml")),
]
REFUSED = {
    "m38_c_code": "is C, which is not run here",
    "m47b_decl_shadow": "is already declared",
    "m60_for_chan": "is no array",
}


@pytest.mark.skipif(not PRESENT, reason="the collections are not here")
def test_models_are_read() -> None:
    refused: dict[str, str] = {}
    for path in MODELS:
        try:
            parse_model(Source(str(path), path.read_text(encoding="latin-1")))
        except InputError as error:
            refused[Path(path).stem] = error.message
    assert refused.keys() == REFUSED.keys()
    assert all(message in refused[name] for name, message in REFUSED.items())
