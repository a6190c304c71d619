"""Ouroboros, a distributed explicit-state model checker. What is listed here is the public interface.

Names are looked up when they are first used, so that `import ouroboros` loads no compiler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ouroboros.checking import check, explore
    from ouroboros.engine.limits import Limits
    from ouroboros.engine.team import Team
    from ouroboros.errors import OuroborosError
    from ouroboros.languages import load
    from ouroboros.simulation.simulation import simulate
    from ouroboros.verdict.report import Report, Verdict
    from ouroboros.verdict.trace import Trace

__version__ = "0.1.0"

__all__ = [
    "Limits",
    "OuroborosError",
    "Report",
    "Team",
    "Trace",
    "Verdict",
    "__version__",
    "check",
    "explore",
    "load",
    "simulate",
]

_HOMES = {
    "Limits": "engine.limits",
    "OuroborosError": "errors",
    "Report": "verdict.report",
    "Team": "engine.team",
    "Trace": "verdict.trace",
    "Verdict": "verdict.report",
    "check": "checking",
    "explore": "checking",
    "load": "languages",
    "simulate": "simulation.simulation",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
