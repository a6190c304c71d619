"""From a model and a question to a report: what is asked is read, searched for, and answered.

Names are looked up when they are first used: whoever confirms a certificate asks the same questions, and must not load
the engine for that.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ouroboros.checking.answering import check, explore

__all__ = ["check", "explore"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.answering"), name)
