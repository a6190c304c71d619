"""Models in pytest: what is asked of them are tests, and a counterexample is the text of a failure.

    @pytest.mark.model("peterson.pml", time="60s")
    def test_peterson(model_property):
        model_property.require()

is a test for each property of the model. The fixture `check_model` asks anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class ModelProperty:
    """One property of a model, still to be checked."""

    model: Path
    name: str
    arguments: dict[str, Any]

    def require(self) -> Any:
        """Check it; fails the test, with the trace, where it does not hold. Returns the report."""
        return _require(self.model, {**self.arguments, "properties": [self.name]})


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "model(path, **arguments): the fixture model_property is each property of the model by turns"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker("model")
    if marker is None or "model_property" not in metafunc.fixturenames:
        return
    from ouroboros.library.models import load

    if len(marker.args) != 1:
        raise pytest.UsageError("mark.model takes the path of one model, and arguments of ouroboros.check")
    path = metafunc.definition.path.parent / marker.args[0]
    found = [ModelProperty(path, name, dict(marker.kwargs)) for name in load(path).asked]
    metafunc.parametrize("model_property", found, ids=[each.name for each in found])


@pytest.fixture
def check_model() -> Callable[..., Any]:
    """Check a model as `ouroboros.check` does; fails the test, with the trace, unless all holds."""
    return lambda model, **arguments: _require(model, arguments)


def _require(model: Any, arguments: dict[str, Any]) -> Any:
    __tracebackhide__ = True
    from ouroboros.library.models import Model, check, load

    report = check(model if isinstance(model, Model) else load(model), **arguments)
    if not report.holds:
        pytest.fail(str(report), pytrace=False)
    return report
