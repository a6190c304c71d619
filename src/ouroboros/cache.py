"""The user's cache directory: what is expensive to compute and safe to lose."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def directory(kind: str) -> Path | None:
    """The directory for cached things of a kind, created on demand; None where nothing can be written."""
    try:
        path = _root() / kind
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # RuntimeError: the user has no home directory
        return None
    return path if os.access(path, os.W_OK | os.X_OK) else None


def _root() -> Path:
    if chosen := os.environ.get("OUROBOROS_CACHE"):
        return Path(chosen)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "ouroboros"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "ouroboros" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "ouroboros"
    return Path.home() / ".cache" / "ouroboros"
