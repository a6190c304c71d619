"""The user's cache directory: what is expensive to compute and safe to lose."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def directory(kind: str) -> Path | None:
    """The directory for cached things of a kind, created on demand; None where nothing can be written."""
    path = _root() / kind
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return path if os.access(path, os.W_OK | os.X_OK) else None


def _root() -> Path:
    if chosen := os.environ.get("OUROBOROS_CACHE"):
        return Path(chosen)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "ouroboros"
    # Without a home directory `expanduser` gives the path back as it is: relative, and better not created.
    home = Path(os.path.expanduser("~"))
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")) / "ouroboros" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "ouroboros"
    return home / ".cache" / "ouroboros"
