"""Ouroboros, a distributed explicit-state model checker. What is listed here is the public interface.

Names are looked up when they are first used, so that `import ouroboros` loads no compiler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ouroboros.engine.limits import Limits
    from ouroboros.engine.team import Team
    from ouroboros.errors import InputError, OuroborosError
    from ouroboros.library.automata import Automaton, automaton
    from ouroboros.library.graphs import Graph
    from ouroboros.library.models import Model, check, explore, load, loads, simulate
    from ouroboros.library.reports import Answer, Report, Violated
    from ouroboros.library.states import State, Step
    from ouroboros.library.traces import Trace
    from ouroboros.library.walks import Walk
    from ouroboros.verdict.report import Verdict

__version__ = "0.1.0"

__all__ = [
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

_HOMES = {
    "Answer": "library.reports",
    "Automaton": "library.automata",
    "Graph": "library.graphs",
    "InputError": "errors",
    "Limits": "engine.limits",
    "Model": "library.models",
    "OuroborosError": "errors",
    "Report": "library.reports",
    "State": "library.states",
    "Step": "library.states",
    "Team": "engine.team",
    "Trace": "library.traces",
    "Verdict": "verdict.report",
    "Violated": "library.reports",
    "Walk": "library.walks",
    "automaton": "library.automata",
    "check": "library.models",
    "explore": "library.models",
    "load": "library.models",
    "loads": "library.models",
    "simulate": "library.models",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
