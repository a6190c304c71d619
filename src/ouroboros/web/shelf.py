"""The files that the workbench may show: the named model, or the models in the named folder."""

from __future__ import annotations

from pathlib import Path

from ouroboros.errors import InputError, UsageError
from ouroboros.languages import is_model

_MOST_MODELS = 2_000
"""A folder may be a whole disk."""


class Shelf:
    """Nothing else is read, whatever a page asks for."""

    def __init__(self, named: Path) -> None:
        if not named.exists():
            raise UsageError(f"{named}: there is no such file or folder")
        self._named = named.resolve()
        self._is_folder = named.is_dir()
        if not self._is_folder and not is_model(self._named):
            raise UsageError(f"{named}: the suffix says nothing about the language")

    def names(self) -> list[str]:
        """The models by the names that a page knows them by, in order."""
        if not self._is_folder:
            return [self._named.name]
        found: list[str] = []
        for path in sorted(self._named.rglob("*")):
            if is_model(path) and self._is_inside(path):
                found.append(path.relative_to(self._named).as_posix())
                if len(found) == _MOST_MODELS:
                    break
        return found

    def path(self, name: str) -> Path:
        """Where a model is; raises InputError for what does not stand on the shelf."""
        candidate = self._named / name if self._is_folder else self._named.parent / name
        allowed = is_model(candidate) and (
            self._is_inside(candidate) if self._is_folder else candidate.resolve() == self._named
        )
        if not allowed:
            raise InputError(f"{name}: there is no such model here")
        return candidate

    def _is_inside(self, path: Path) -> bool:
        """Also where a link leads to counts."""
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            return False
        return real.is_file() and real.is_relative_to(self._named)
