"""Random models: Python's own execution, the interpreter and machine code agree on every state and every label."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, assume, given, settings

from ouroboros.errors import InputError
from tests.languages.python.oracle import assert_agrees, model_of
from tests.languages.python.random_models import models

CHECKS = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


@settings(max_examples=15, suppress_health_check=CHECKS)
@given(models())
def test_random_models(text: str) -> None:
    """What cannot be compiled has a place in the text, and all else is the same."""
    with TemporaryDirectory() as folder:
        try:
            model = model_of(text, Path(folder), "M")
        except InputError as refusal:
            assert refusal.span is not None, refusal  # noqa: PT017 - told with what is wrong
            assume(False)
        assert_agrees(model, 12)
